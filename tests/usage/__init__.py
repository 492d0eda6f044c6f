"""The code-sequence tables of [AMDGPUUsage], as the document has them and as axmem prints them, cell by cell.

`python -m tests.usage AMDGPUUsage.rst` (`make usage DOCUMENT=…`) compares them. No sentence of the document is kept
here: `document.py` knows the words by which its cells say in which cases an instruction is left out.
"""
