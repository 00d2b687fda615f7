"""Files: paths, compressions, damage, tables of lakes."""
