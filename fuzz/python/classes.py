class Stack:
    def __init__(self, *items):
        self.items = [i for i in items if i is not None]
    def push(self, item, /, times=1):
        self.items += [item] * times; return self
    @property
    def top(self): return self.items[-1] if self.items else None
try:
    s = Stack(1, 2).push("a", times=3)
    while s.items: print(s.items.pop(), end="")
except (IndexError, ValueError) as e:
    raise SystemExit(f"{e!r:>{10}}") from None
finally:
    del s
