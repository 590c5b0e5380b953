"""Types that depend on each other in circles are the same in every order of questions, and from several threads."""

from __future__ import annotations

import random
from concurrent.futures import ThreadPoolExecutor

import pytest

from avionics.index.model.values import Variable
from avionics.index.references.reference_resolver import Resolver
from avionics.index.scopes.name_resolver import NameResolver

ORDERS, THREADS = 12, 4

PYTHON = {
    "circle/__init__.py": "",
    "circle/left.py": """
from circle.right import Right, B, make_right
from circle.shared import *

A = int | B

class Left(Right):
    def turn(self):
        return make_right()

    def keep(self, given: A):
        self.kept = make_right().kept
        return self.kept.turn()

def make_left(flag):
    if flag:
        return make_right(flag).turn()
    return Left()

first = make_left(1)
""",
    "circle/right.py": """
from circle import left
from circle.left import A, Left, first
from circle.shared import *

B = str | A

class Right(left.Left):
    def turn(self):
        return left.make_left(self)

    def __init__(self, given: B):
        self.kept = Left().kept or given

def make_right(flag):
    if flag:
        return left.make_left(flag).turn()
    return Right(flag)

second = first.turn()

def walk(node, steps):
    here = make_right(node)
    while steps:
        there = here.turn()
        here = there.kept if steps else there.turn()
    return here.turn(), there.keep(second)
""",
    "circle/shared.py": "from circle.left import *\nfrom circle.right import *\n",
}

TYPESCRIPT = {
    "shapes.ts": """
import { Branch, Forest } from './trees'
export type Tree = Branch | Leaf
export interface Leaf { value: number; up(): Tree }
export class Node<T extends Tree> {
  inner: Forest
  constructor(public held: T, public next = grow(held)) {}
  climb() { return this.next.climb().held }
}
export function grow(from: Tree) { return from.up() ? shrink(from) : new Node(from) }
export function shrink(from: Tree) { return from ? grow(from.up()) : new Node(from.up()) }
""",
    "trees.ts": """
import { Tree, Node, grow } from './shapes'
export type Forest = Tree[] | Wood
export interface Branch { left: Tree; right: Forest; up(): Forest }
export interface Wood extends Branch { all: Forest }
export function visit(tree: Tree) {
  let here = grow(tree)
  let last = here.climb()
  while (last) { here = grow(last); last = here.climb().up() }
  return here.inner.all
}
""",
}

RUST = {
    "Cargo.toml": '[package]\nname = "rounds"\n',
    "src/lib.rs": "pub mod one;\npub mod two;\npub use one::*;\npub use two::*;\n",
    "src/one.rs": """
use crate::two::*;
pub use crate::two::Hub as Center;
pub struct Spoke { hub: Center }
impl Spoke {
    pub fn hub(&self) -> &Center { &self.hub }
    pub fn far(&self) -> &Spoke { self.hub().spoke() }
}
""",
    "src/two.rs": """
pub use crate::one::*;
pub use crate::one::Spoke as Arm;
pub struct Hub { arm: Option<Box<Arm>>, center: Center }
impl Hub { pub fn spoke(&self) -> &Arm { self.center.spoke().far().far() } }
""",
}


def draw(seed: int) -> dict[str, str]:
    """Return Python modules of functions, methods and attributes that give each other's values at random."""
    chance = random.Random(seed)

    def value(depth: int = 0) -> str:
        name = f"m{chance.randrange(3)}.f{chance.randrange(5)}"
        inner = value(depth + 1) if depth < 2 else f"{name}()"
        return chance.choice(
            [
                f"{name}()",
                f"{name}().step()",
                f"{inner}.held",
                f"[{inner}][0]",
                f"{inner} or {name}()",
                f"m{chance.randrange(3)}.K()",
                f"m{chance.randrange(3)}.v{chance.randrange(3)}",
            ]
        )

    def module(number: int) -> str:
        bases = chance.choice(["", f"(m{(number + 1) % 3}.K)"])
        lines = ["from drawn import m0, m1, m2", f"class K{bases}:"]
        lines += [f"    def step(self):\n        self.held = {value()}\n        return {value()}"]
        lines += [f"v{index} = {value()}" for index in range(3)]
        lines += [f"def f{index}():\n    here = {value()}\n    return here.step() or {value()}" for index in range(5)]
        return "\n".join(lines)

    return {"drawn/__init__.py": "", **{f"drawn/m{number}.py": module(number) for number in range(3)}}


def find_questions(code) -> list[tuple]:
    """Return a question for every reference and every variable of all files."""
    references = [
        ("reference", path, each)
        for path in code.files
        for found in code.uses(path).references.values()
        for each in found
    ]
    variables = {
        ("variable", path, Variable(path, binding.scope, name))
        for path in code.files
        for name, bindings in code.uses(path).bindings.items()
        for binding in bindings
    }
    return [*references, *sorted(variables, key=repr)]


def answer(resolver: Resolver, questions) -> dict:
    """Return the answer to each question, asked in this order."""
    answers = {}
    for kind, path, asked in questions:
        found = resolver.resolve(path, asked) if kind == "reference" else resolver.inference.infer_variable(asked)
        answers[kind, path, repr(asked)] = found
    return answers


def shuffle(questions, seed: int) -> list[tuple]:
    return random.Random(seed).sample(questions, len(questions))


PROJECTS = {"python": PYTHON, "typescript": TYPESCRIPT, "rust": RUST} | {f"drawn {n}": draw(n) for n in range(8)}


@pytest.mark.parametrize("project", PROJECTS)
def test_answers_depend_neither_on_the_order_of_questions_nor_on_other_threads(workspace, switching, project):
    code = workspace(PROJECTS[project]).code
    questions = find_questions(code)
    orders = [questions, questions[::-1], *(shuffle(questions, seed) for seed in range(ORDERS))]
    expected, *others = (answer(Resolver(NameResolver(code.source, code.modules)), order) for order in orders)
    for found in others:
        assert {key: (expected[key], found[key]) for key in expected if found[key] != expected[key]} == {}
    shared = Resolver(NameResolver(code.source, code.modules))
    with ThreadPoolExecutor(THREADS) as threads:
        for found in threads.map(lambda seed: answer(shared, shuffle(questions, seed)), range(THREADS)):
            assert found == expected
