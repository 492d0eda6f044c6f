"""Whether a change is sound: one program against another, a model against another, a rule in every context."""
