"""Why an outcome is allowed or forbidden: witnesses, cores, broken links, in words and as pictures."""
