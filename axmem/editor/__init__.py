"""What editors ask about tests, models and rules: words, colours, and the language server of `axmem lsp`.

What goes in: texts as they are typed, saved or not. What comes out: tokens, grammars, and what the language server
protocol (LSP) calls diagnostics, hovers, definitions, references, completions, symbols, lenses and inlay hints.
"""
