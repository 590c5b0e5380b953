from contextlib import AbstractContextManager

class ExceptionInfo[T]:
    value: T

def raises[T](
    expected: type[T] | tuple[type[T]], *more: object, **named: object
) -> AbstractContextManager[ExceptionInfo[T]]: ...
