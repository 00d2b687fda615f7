"""The documentation: pages, their code, and the site."""
