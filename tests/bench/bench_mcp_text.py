"""Characters that a model reads of an answer: the text, beside the JSON of the result document that servers also send.

    python tests/bench/bench_mcp_text.py DIR

Asks sixty questions about the first twenty functions and classes of the product code of DIR, with the default budget.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from avionics.index.model.file_roles import FileRole, role_of
from avionics.model.enums import SymbolKind
from avionics.model.tools import Caller, ToolCall, ToolContext
from avionics.settings import Settings
from avionics.tools import tool_catalog
from avionics.tools.answers.result_text import build_text
from avionics.tools.executor import ToolExecutor
from avionics.workspace import Workspace

SUBJECTS = 20
QUESTIONS = (("explore_symbol_usage", "symbol"), ("analyze", "query"), ("trace_entry_point", "entry"))


def main() -> None:
    with tempfile.TemporaryDirectory() as cache:
        settings = Settings(cache_directory=Path(cache))
        with Workspace.open(sys.argv[1], settings) as workspace:
            code = workspace.code
            product = (file for file in code.files if role_of(file) is FileRole.PRODUCT)
            kinds = {SymbolKind.FUNCTION, SymbolKind.CLASS, SymbolKind.METHOD}
            symbols = (each.qualname for file in product for each in code.facts(file).symbols if each.kind in kinds)
            subjects = list(dict.fromkeys(symbols))[:SUBJECTS]
            executor = ToolExecutor(tool_catalog, settings=settings)
            texts = documents = 0
            for tool, parameter in QUESTIONS:
                for subject in subjects:
                    result = executor.run(ToolCall(tool, {parameter: subject}), ToolContext(Caller("bench"), workspace))
                    texts += len(build_text(result))
                    documents += len(json.dumps(result.to_dict(), ensure_ascii=False))
    count = len(subjects) * len(QUESTIONS)
    print(f"{count} answers: text {texts} characters, JSON {documents}, {texts / documents:.2f} of it")


if __name__ == "__main__":
    main()
