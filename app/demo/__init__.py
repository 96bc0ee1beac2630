"""The demonstration: the countries and cities of GeoNames, maps of them, and two users who visit cities."""
