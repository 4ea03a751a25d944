"""Chances to win a round by strength, from simulated play; see ``chances``.

Written by ``python -m bench.chances --passes 1 --deals 50 --seed 1``; not to be changed by hand.
"""

from __future__ import annotations

from typing import Final

SHARES: Final = (2442, 2314, 2297, 2947)
"""In parts of 10,000, how a hand's points fall on the four rounds."""

# Each step is class:chance, the chance of this class and of those up to the next step.
ROWS: Final = (
    """
    0:0 711:64 712:118 713:175 715:569 720:1226 725:2769 731:5556 732:6327 737:9048 740:10000
    """,
    """
    0:0 707:292 708:519 709:1148 710:1274 711:1783 712:2853 713:4034 714:4401 715:5934 717:6364
    718:7222 719:7778 722:7857 725:9211 727:10000
    """,
    """
    0:0 621:62 636:312 637:405 661:526 665:1255 691:1667 694:2000 696:2121 699:2222 701:2978
    705:3223 706:3757 707:5411 708:6786 709:8293 710:8694 712:9088 713:9602 714:9760 715:9793
    718:10000
    """,
    """
    0:0 370:34 430:333 435:556 472:734 474:804 480:881 507:1067 511:1154 512:1311 517:1546
    518:1773 568:2521 569:2553 570:2892 579:3500 580:3533 604:3613 605:4026 608:4457 609:4797
    614:5389 619:5425 631:5601 640:6646 642:6759 660:7031 686:7395 688:7551 689:7891 696:8008
    699:8348 701:8621 704:8652 706:9011 707:9209 708:9721 709:10000
    """,
)
"""For each round the chances in the same parts, from the weakest class up."""
