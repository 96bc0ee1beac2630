"""A siege of a service of its own: ``python -m bench.siege``. Each attack tells what it tried and what got through."""
