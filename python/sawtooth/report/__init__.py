"""Reports: HTML pages that work offline, figures as SVG and PDF files, and the marked places of Markdown pages.

A report reads and draws; it never runs anything, and nothing that it imports can. The same stored runs give the same bytes.
"""
