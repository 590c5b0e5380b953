"""Control is followed down through calls as far as they can be proven."""

from __future__ import annotations

from avionics.index.analysis.call_tree import CallTreeBuilder

FILES = {
    "base.py": (
        "class Job:\n    def run(self):\n        self.prepare()\n        self.work()\n\n"
        "    def prepare(self):\n        pass\n\n    def work(self):\n        raise NotImplementedError\n"
    ),
    "jobs.py": (
        "import os\nimport sys\n\nfrom base import Job\n\n\nclass BadJob(ValueError):\n    pass\n\n\n"
        "class Copy(Job):\n    def __init__(self, path):\n        self.path = os.path.abspath(path)\n\n"
        "    def work(self):\n        log(self.path)\n        log(self.path)\n\n\n"
        "def log(text):\n    def later():\n        sys.exit(1)\n\n"
        "    atexit(later)\n    print(text)\n    log(text)\n\n\n"
        "def atexit(callback):\n    callback()\n\n\n"
        "def main(arguments):\n    job = Copy(arguments[0])\n    job.run()\n    arguments.sort()\n"
        "    raise BadJob\n\n\ndef fail():\n    raise BadJob('no')\n"
    ),
}


def traced(opened, name, depth=5, room=10_000):
    (definition,) = opened.code.find_definitions(name)
    return CallTreeBuilder(opened.code).trace((definition,), depth, room)


def drawn(nodes):
    return [
        f"{'  ' * node.depth}{','.join(map(str, node.step.lines))} {node.step.role.value} "
        f"{node.step.definition.symbol.qualname} {node.truncation.value if node.truncation else ''}".rstrip()
        for node in nodes
    ]


def test_calls_lead_through_constructors_subclasses_nested_functions_and_cycles(workspace):
    assert drawn(traced(workspace(FILES), "main")) == [
        " calls main",
        "  34 calls Copy.__init__",
        "  35 calls Job.run",
        "    3 calls Job.prepare",
        "    4 calls Copy.work",
        "      16,17 calls log",
        "        21 defines log.later",
        "        24 calls atexit",
        "        26 calls log repeated",
    ]


def test_depth_and_room_close_functions_and_say_so(workspace):
    opened = workspace(FILES)
    assert drawn(traced(opened, "main", depth=1)) == [
        " calls main",
        "  34 calls Copy.__init__",
        "  35 calls Job.run depth",
    ]
    assert drawn(traced(opened, "main", room=1)) == [
        " calls main",
        "  34 calls Copy.__init__",
        "  35 calls Job.run size",
    ]


def test_a_method_meant_to_be_overridden_leads_to_its_overrides(workspace):
    assert drawn(traced(workspace(FILES), "Job.work", depth=1)) == [
        " calls Job.work",
        "   overridden by Copy.work depth",
    ]


def test_calls_outside_exceptions_and_unknown_calls_are_told_apart(workspace):
    opened = workspace(FILES)
    bodies = {
        name: (body.outside, body.raises, [(call.line, call.text) for call in body.unknown])
        for name in ("Copy.__init__", "main", "fail", "atexit", "log.later")
        for body in (traced(opened, name)[0].body,)
    }
    assert bodies == {
        "Copy.__init__": (("os.path.abspath",), (), []),
        "main": ((), (), [(36, "arguments.sort")]),
        "fail": ((), ("BadJob",), []),
        "atexit": ((), (), [(30, "callback")]),
        "log.later": (("sys.exit",), (), []),
    }


def test_a_call_leads_to_the_overload_that_takes_its_arguments(workspace):
    source = (
        "class Pen {\n    void all() { draw(1, 2); }\n    void draw(int a) { one(); }\n"
        "    void draw(int a, int b) { two(); }\n    void one() {}\n    void two() {}\n}\n"
    )
    nodes = traced(workspace({"Pen.java": source}), "Pen.all")
    assert [(n.step.definition.symbol.qualname, n.step.definition.line) for n in nodes] == [
        ("Pen.all", 2), ("Pen.draw", 4), ("Pen.two", 6),
    ]  # fmt: skip


def test_a_method_that_is_only_declared_leads_to_what_overrides_it(workspace):
    header = (
        "struct Env { virtual void open() = 0; };\nstruct Disk : Env {\n  void open() override { spin(); }\n"
        "  void spin() {}\n};\n"
    )
    java = "abstract class Shape { abstract void draw(); }\nclass Dot extends Shape { void draw() { } }\n"
    opened = workspace(
        {
            "env.hpp": header,
            "main.cc": '#include "env.hpp"\nvoid start(Env* env) { env->open(); }\n',
            "Shape.java": java,
            "Main.java": "class Main { void paint(Shape s) { s.draw(); } }\n",
        }
    )
    assert drawn(traced(opened, "start")) == [
        " calls start", "  2 calls Env.open", "     overridden by Disk.open", "      3 calls Disk.spin",
    ]  # fmt: skip
    assert drawn(traced(opened, "Main.paint"))[-1] == "     overridden by Dot.draw"


def test_a_method_called_on_objects_of_several_classes_leads_to_the_overrides_of_all(workspace):
    files = {
        "shapes.py": (
            "class Shape:\n    def show(self):\n        self.draw()\n\n"
            "    def draw(self):\n        raise NotImplementedError\n\n\n"
            "class Dot(Shape):\n    def draw(self):\n        pass\n\n\n"
            "class Line(Shape):\n    def draw(self):\n        pass\n\n\n"
            "def paint(shape: Dot | Line):\n    shape.show()\n"
        )
    }
    assert drawn(traced(workspace(files), "paint")) == [
        " calls paint",
        "  20 calls Shape.show",
        "    3 calls Shape.draw",
        "       overridden by Dot.draw",
        "       overridden by Line.draw",
    ]
