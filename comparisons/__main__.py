"""Run the command line as `python -m evalparity.comparisons`."""

from evalparity.comparisons.cli import main

if __name__ == "__main__":
    main()
