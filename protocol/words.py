"""The words of table codes: 2048 of them, so each says 11 bits. SPEC 5.1.

Our own list: plain English words of 3 to 8 letters, alphabetical. The first four letters of a word
tell it from all others, no two differ by one letter only, and none is to be taken for another by
ear. The list never changes: a word's place is its meaning.
"""

from __future__ import annotations

_TEXT = """
abacus ability able aboard academy accept account ace acid acorn acoustic acrobat active actual
adagio adapt add address adjust admire adobe advance advent advice advocate aerial affable affirm
afloat after agave agenda agile ahead aim airy ajar alarm album alchemy alcove alert algebra alive
alley allow allspice almanac almond aloha alone alpaca alpine altitude alumni amateur amaze amber
ambition amenity amiable amount amulet amuse anagram analog anatomy ancestor anchor ancient
anecdote anemone angora animal ankle annex announce annual answer antelope anthem antique antler
anvil apart apology appear apply approve apricot apron aqua archer arctic arena argue ark armada
armor aroma arpeggio arrange arrive arrow artist ash aspen aspire asset assist astro athlete atlas
atom atrium attach attend attic attract auburn auction audience author autumn avenue average
avocado avoid await awake award awning azalea azure baby bachelor backpack badge bag bakery
balance balcony ballad balm bamboo banana bandage banjo bank banner banquet barber bargain
baritone barley barrel basalt bashful basil basket bath baton bazaar beach bead beagle beauty
beaver beckon bedroom beef beehive beetle begun being belly beloved belt benefit beret better
beverage bias bicycle bifocal bike bill binder biology biplane birch bird birthday biscuit bison
bistro black blanket blast blaze blend blink blip bliss blitz bloom blossom blouse bluebell bluff
blush bobbin bobcat body bonfire bonnet bonsai bonus book boost border borrow boss botany bottle
bounce bouquet bowl box bracket brain bramble branch brass bravo brazen breeze brew brick bridge
brief bright brim brioche brittle broccoli bronze brother brown bubble bucket bud buddy budget
buffalo buggy build bulb bulletin bump bundle bunny burger burly burst busy butler button buyer
buzz bypass cab cabaret cabbage cabin caboose cactus cadet cafe calcium calico calypso camel camp
canary candle canine canoe canteen canyon capable capital capsule captain caramel carbon card
caress cargo caribou carnival carpet carrot carve cascade cashew casual catfish cattle cavern
caviar cedar celery cello cement century ceramic ceremony chair chalk chamber change chapter
charity chat check cheese chef chemist cherry chess chill chime chip chisel chivalry chlorine
choice chorus chowder chrome chuckle chunk chutney cider cinema cinnamon cipher circle citadel
citizen citrus city civic claim clang clarinet class clay clench click client cliff climate clinic
cloak closet cloth cloud clover clown club cluster clutch coach coal coast cobalt cobbler cobra
cocoa code coffee coin collar column comb comedy comfort comic command compass concert condor
confetti congress contact copper copy corduroy cork corner corral cosmos costume cottage cough
count couple courier cousin cowboy coyote crash crater cravat cream crescent cricket crimson crisp
critic crocus cross crouton crowd cruise crunch crystal cuckoo cucumber cuddle culture cup
cupboard cupcake curator curious curl curry curtain cushion custom cutlery cycle cylinder cypress
daffodil daily dainty damask dance dapple dare daring data daughter dawn day daydream dazzle
deacon deal debut decade decent decimal deck declare decor dedicate deduce deep defend deflate
defrost degree delegate delight delta deluxe denim dentist depict deposit depth deputy derby
describe design destiny detail detect detour develop devote diagram diamond diary dice diesel
differ digest digit dignity dilute dimple dinghy dinner dinosaur diorama diploma direct disco dish
display distance ditch divide doctor dog dogwood doll dolphin domain dome dominate donate donkey
donor donut dossier double download dozen dragon drama drape drawer dress drift drill drink drive
drizzle drone droplet drum ductile duet duffel dugout dulcet dumpling duplex durable dusk dutiful
dwell dynamic eager early earring earth easel east eatery ebony echelon echo eclipse ecology
economy edge edible edit educate eel effect effigy effort egg eggplant eight elapse elastic elbow
elder elect elegant element elephant elevator eligible eloquent embassy emblem emerald eminent
emotion emperor emphasis empire employ empty emu emulate enable enamel enclose encore end endless
endow energy engage engine enigma enjoy enlace enlist enormous enrich ensemble ensure enter
enthuse entrance envelope envision enzyme epic epilogue episode epoch equal equinox era eraser
escape escort espresso essay essence esteem estimate ethics euphoria event evident evoke evolve
example excel exchange excite excuse exercise exhale exhibit exotic expand expense explore express
extend extreme eyebrow eyelash fabric fact falcon fall family famous fan fanfare fantasy farewell
farm fashion father faucet feature federal feline fellow fence fender fern ferry fertile fervent
festival fez fiction fiddle field fiesta fifteen fig figure filament file fillet filter finance
finch finesse finger finish fireside first fiscal fisher fjord flag flame flannel flash flatter
flaunt fleece flexible flicker flight fling flock flood florist flourish flow fluid flute fly
flyer focus fold foliage folklore fondue foot force forest formula fortune forum fossil foster
found fourteen foxglove fraction fragment freckle freedom freight fresh friend frigate frisbee
frog front frozen fruit fudge fuel funnel furnace future fuzzy gadget gain galaxy gallery game
gamma garage garden garlic garment garnet gazelle gecko gelatin gemstone general genius gentle
genuine geometry geranium gesture geyser giant gift giggle gingham giraffe girl give glacier
gladly glamour glance glare glide glimpse glitter globe glory glossary glue gnome goat goblet
golden golf gondola goose gopher gorge gossip gourmet govern gown grab grace grammar grand graph
grateful gravity green grid grizzly grocer groove grotto ground growth guard guava guinea guitar
gum gumdrop gurgle guru gymnast gypsum habit haiku half hallmark hammer hamster hand hangar happen
harmony harness harp harvest hatbox hatch haven hawk haystack hazel headband health heavy helium
helmet help herald herb heron hexagon hibiscus hickory hidden high hint hippo history hobby hockey
holiday hollow holster homage homework honest hood hope horizon horn horse hosiery hospital host
hotel hover hub huckster hula human humble humid hummus hundred hurdle hyacinth hybrid hydrant
hyena hyphen iceberg identity igloo image imitate immense impact import impress incline income
index indigo indoor inform ingot inhale inherit initial ink inkling inkwell inlet input inquire
insect inspire install intact interval invent invite inward iris iron island issue item ivory ivy
jacket jade jaguar jasmine javelin jaw jazz jersey jet jetty jewel jigsaw jingle job jogger joke
jolly journal joyful jubilee juice jumbo junior juror jury justice kangaroo karate kayak kebab
keepsake kennel ketchup kettle keyboard kick kid kidney kilo kimono kindle king kiosk kitchen
kitten kiwi knapsack knee knife knit knob knock knuckle koala kumquat label ladder ladle lagoon
lake lamb language lantern lap laptop laser lattice laugh launch laurel lava lavender lawyer
layout leaf league learn leather lecture legacy legend leisure lemon length lentil leopard lettuce
level liberty library lilac lily lime limit linen lioness lipstick liquid list liter little lizard
llama lobster local locomote locust lodge loft logbook logic logo lollipop lonely lotion lotus
love lozenge lucky luggage lukewarm lullaby lumber lunar lung luxury lyric macaroni macro madam
magazine magenta magic magma magnet mahogany maiden major mallet mammal manage mandolin mango
manifest mansion maple maraca marble margin marigold market marmot maroon marsh marvel marzipan
mascot mask mason mat material matrix matter maximum meadow meander measure mechanic media medley
melody member memo menu merchant merge meridian mermaid mesh message meteor method metro midday
midnight mighty migrate mild mimic mimosa mineral minimum minnow minute miracle mirror mission mix
mixture mobile mocha model modify moisture mole moment monarch money mongoose monitor monocle
monsoon month monument moon mop mortar mosaic motor mountain mousse movie muffin mulberry multiply
mural museum mushroom music musket muslin mustard mutual mystery myth nacho nail napkin nation
nature nautical navigate navy nebula necklace nectar needle neighbor neon nephew neptune nerve
network neutral news nickel niece nimble nine nitrogen noble nobody noise nomad noodle normal
north nostril notable note notice nourish novel nozzle nugget nurse nut nutmeg nylon nymph oasis
oatmeal obey object oblong observe obstacle obtain obvious ocean octagon octopus oddity offer
office offset often oil ointment okra olympic omega omelet omit onion online onlooker onset onyx
opera opinion opposite optic oracle orange orator orbit orchard ordinary oregano organ orient
origin oriole ornament osprey ostrich otter outdoor outfit outlook output ovation overlap owner
oxygen ozone pacify package paddle padlock paint pajama palace palomino pampas pancake panda panel
panther papaya paper paprika parade parcel parlor parsley partner pass pasta patient patrol
pattern pave pavilion payment peacock peanut pebble pecan pelican pencil penguin penny pension
people pepper perform period persist petal petunia phantom pheasant phoenix phone photo phrase
physics piano piccolo picnic picture pie pigeon pillow pilot pioneer pirate piston pitcher pixel
pizza plaid planet plasma plate playful plaza pledge plenty pliers plummet plunge plural plywood
pocket podcast podium poem poetry pointer poker polar polish pollen polo polygon poncho pond
popcorn poppy popular porridge port position possible postage potato pottery powder prairie prefer
premise prepare present pretty previous primrose prism privacy problem proclaim prodigy program
prologue prompt pronoun propel prosper protect proud provide publish pudding pulley pulse puma
pumpkin punch pupil puppet purchase pure purple push putter puzzle pygmy pyramid python quack
quaint quality quantum quarter quaver query quest quill quince quit quote rabbit raccoon radar
radio raft railway rainbow raisin random rapid ravioli razor react ready realize reason rebate
receive recipe reclaim record recycle refine reflect reform refresh refuge regal regime regret
regular rehearse reindeer relax release relief remark remedy remind remove renew rent repair
repeat reply report reptile republic request rescue reside response result retain retire retrieve
return reunion revenue review reward rhino rhubarb rhythm rib ribbon rich rigid ringlet rinse
ripple ritual rival roadway robin robot robust rock rodeo romance roof rookie rooster rosemary
rotate row rowboat royal rubber ruby rucksack rudder rug rule runner runway rusty sack safari
saffron sage salad salt salute sample sandal sapling sapphire sardine satchel satin sauna sausage
savanna scale scan scarf scatter scenery schedule scholar science scissors scone scooter scorpion
scrap screen scribble scroll scuba sculptor seafood search seaside second section secure sedan
seed seesaw segment semester senate senior sensible sentence separate sequel serenade series
sesame session setting seventy shade shampoo shark shawl sheep shelf shepherd sheriff shield shift
shimmer shine shoelace short shoulder shovel show shrimp shrub shuffle shutter sibling sidewalk
sierra signal silent silicon silk silver siren sister sixteen size skate sketch skill skirt skunk
sky skyline slalom sleeve slice slipper slogan slope small smart smile smith smoke smooth snake
snap sneaker sneeze snippet snore snug soccer social soda softball solid solution sonata sorbet
soup south souvenir soybean space spaniel sparkle spatula species spell sphere sphinx spider spike
spin spiral splash splendid split sponge spoon spray spread spring sprout spruce square squeeze
squid stable stadium staff stallion stamp stand star statue steady stellar step stereo steward
stick stingray stitch stocking stomach stool storm stove straw stream strike strong student
subject submit subtle suburb subway success sudden suede sugar suggest sultry summer sundial
sunrise sunset super supply supreme surface surprise surround survey sushi swallow swarm sway
sweater swim swing swirl swivel sycamore syllabus symmetry symphony syrup system tackle taco
tadpole tailor talent talk tambour tandem tangle tape tapioca target tariff tartan tassel taste
taxi teacup teapot teardrop teddy teenager teeth telegram tell tempo tenant tennis tenor tepid
terminal terrain text thank theme theory thermal thicket thimble thing third thousand thread
thrive throat thrush thumb thunder tiara tidy tiger tilt timber tinker tinsel tip tiptoe title
toboggan today toddler together token tomato tone tongue tonic toolbox tooth topaz torch tornado
tortoise torus total totem toucan tour towel toy track trade traffic trail tram transit trapeze
travel trawler treasure tree trellis tremble trend triangle tribute tricycle trigger trillion
trinket trio triplet triumph trolley trombone trophy trout truffle trumpet trunk tuba tugboat
tulip tumbler tundra turban turkey turnip turtle tutor tuxedo tweezers twelve twenty twice twig
twilight twinkle twist tycoon typist ukulele ultimate ultra umbrella uncle uncover undergo unfold
unicorn uniform unique universe unknown unlock unpack unusual unveil update upgrade uphill uphold
uplift upload upright upstairs upward urchin useful usher utensil utility utmost vacation vaccine
vacuum valiant value vanilla variety varnish vase vault vegan vehicle velocity velvet vending
venture veranda verdict verify verse vertical vessel veteran vibrant victory video view vigilant
viking village vinegar vintage vinyl viola virtual visa vision visual vitamin vivid vogue voice
volcano volley volume vortex voucher voyage waffle wagon walkway wallaby walnut walrus waltz
warbler wardrobe warrior wasabi washer wasp waterway watt wax web webcam wedding weekend weevil
welcome weld western wharf wheat whisker wicker widget width wife wind winter wiper wisdom
wishbone witness wobble woman wombat wonder woodland wool word workout worship worthy wreath
wrestle yacht yarn yearbook yoga yogurt young yucca yummy zebra zenith zephyr zeppelin zero zigzag
zinc zinnia zipper zircon zither zodiac zoo zucchini
"""

WORDS: tuple[str, ...] = tuple(_TEXT.split())
"""All words; the index is what a word says."""
