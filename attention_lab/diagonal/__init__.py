"""Does a token look at itself? Measures, propositions, claims, growth and depth."""
