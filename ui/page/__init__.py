"""The page in the browser: what it is told, what it may ask for, and who may open it."""
