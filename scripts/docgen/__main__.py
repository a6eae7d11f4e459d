"""Started by scripts/docs, in the development environment."""

import sys

from pages import main

sys.exit(main(sys.argv[1:]))
