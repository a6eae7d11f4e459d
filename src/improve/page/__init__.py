"""The report as a page, as Markdown, as text and as data. Pure: an account goes in, text comes out."""
