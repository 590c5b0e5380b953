from collections.abc import Callable
from typing_extensions import Any

class partial[T]:
    args: tuple[Any]
    func: Callable[..., T]
    keywords: dict[str, Any]
    def __init__(self, function: Callable[..., T], *arguments: object, **named: object) -> None: ...
    def __call__(self, *arguments: object, **named: object) -> T: ...
