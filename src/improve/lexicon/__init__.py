"""Word data of the matcher (polarity, synonyms, exclusive choices, other languages) and how a rule is read."""
