"""Questions for what runs when control enters by a route or a command are answered with what runs."""

from __future__ import annotations

import pytest

from avionics.agents.rules import RulePlanner
from avionics.tools.composite.trace_entry_point import trace_entry_point
from avionics.tools.unified.analyze import analyze

FILES = {
    "app.js": "const app = express();\n\napp.post(\n  '/orders',\n  signedIn({ role: 'clerk' }),\n"
    "  async (req, res) => {\n    res.json(store(req.body));\n  },\n);\n\nfunction store(order) {}\n"
    "function signedIn(options) {}\n",
    "commands.c": "static void stop(void) {}\n\nstatic void cmd_quit(char *arg)\n{\n    stop();\n}\n\n"
    'struct command table[] = {\n    { "quit", cmd_quit },\n};\n',
}


@pytest.mark.parametrize(
    ("question", "start", "calls"),
    [
        ("what happens on POST /orders", ("app.js", 6), ("app.js", 11)),
        ("what happens when a client sends a POST to /orders?", ("app.js", 6), ("app.js", 11)),
        ("how is POST /orders handled", ("app.js", 6), ("app.js", 11)),
        ("what does POST /orders run?", ("app.js", 6), ("app.js", 11)),
        ("what happens when the quit command runs", ("commands.c", 3), ("commands.c", 1)),
        ("what happens if I type :quit", ("commands.c", 3), ("commands.c", 1)),
    ],
)
def test_what_runs_is_shown_with_what_it_calls(workspace, question, start, calls):
    answer = analyze(workspace(FILES), question)
    flow = [(each.file, each.line) for each in answer.get_items("flow")]
    assert flow[:2] == [start, calls]


@pytest.mark.parametrize(
    "question",
    [
        "POST /orders: how does the request reach store?",
        "POST /orders arrives. how do we get from there to store?",
    ],
)
def test_a_route_with_words_around_it_is_the_start_of_a_path(workspace, question):
    opened = workspace({**FILES, "web/request.js": "export function request() {}\n"})
    (step,) = RulePlanner(opened).plan(question).steps
    assert analyze(opened, step.arguments["query"]).summary.startswith("POST /orders → store")


GROUPED = {
    "main.go": 'package main\n\nfunc main() {\n\tapi := gin.New().Group("/api")\n'
    "\tbindOrders(api)\n\tbindFiles(api)\n}\n",
    "orders.go": 'package main\n\nfunc bindOrders(g *gin.RouterGroup) {\n\to := g.Group("/orders")\n'
    '\to.GET("/:id", showOrder)\n}\n\nfunc showOrder(c *gin.Context) {}\n',
    "files.go": 'package main\n\nfunc bindFiles(g *gin.RouterGroup) {\n\tf := g.Group("/files")\n'
    '\tf.GET("/:folder/:name", showFile)\n}\n\nfunc showFile(c *gin.Context) {}\n',
}


@pytest.mark.parametrize(
    "question",
    [
        "what handles GET /api/orders/7",
        "which function serves /api/orders/7?",
        "who handles requests to /api/orders/7",
        "what happens on GET /api/orders/7",
        "GET /api/orders/7",
        "/api/orders/7",
        "/api/orders/7/",
        "trace GET /api/orders/{id}",
        "where is the route /api/orders/7 handled?",
        "where is GET /api/orders/7 handled",
        "where do requests to /api/orders/7 go?",
        "handler for GET /api/orders/7",
        "the endpoint /api/orders/7",
    ],
)
def test_a_route_is_known_by_its_path_below_that_of_its_group(workspace, question):
    answer = analyze(workspace(GROUPED), question)
    assert [(each.file, each.line, each.name) for each in answer.get_items("entry_points")] == [
        ("orders.go", 5, "/api/orders/:id")
    ]


@pytest.mark.parametrize("question", ["which tests cover GET /api/orders/{id}?", "tests for /api/orders/7"])
def test_the_tests_of_a_route_are_those_that_request_it(workspace, question):
    requesting = 'package main\n\nfunc TestOrder(t *testing.T) {\n\tget(t, "/api/orders/12")\n}\n'
    other = 'package main\n\nfunc TestFile(t *testing.T) {\n\tget(t, "/api/files/a/b")\n}\n'
    opened = workspace({**GROUPED, "orders_test.go": requesting, "files_test.go": other})
    assert [each.test for each in analyze(opened, question).get_items("tests")] == ["TestOrder"]


def test_the_most_specific_route_is_meant(workspace):
    more = 'package main\n\nfunc catch(e *gin.Engine) {\n\te.GET("/*path", all)\n}\n\nfunc all(c *gin.Context) {}\n'
    answer = analyze(workspace({**GROUPED, "all.go": more}), "GET /api/orders/7")
    assert [each.name for each in answer.get_items("entry_points")] == ["/api/orders/:id"]


def test_a_route_that_is_known_by_its_end_alone_is_called_so(workspace):
    files = {
        "main.go": "package main\n\nfunc main() {\n\tapi := gin.New().Group(os.Args[1])\n"
        '\tapi.GET("/orders/:id", showOrder)\n}\n\nfunc showOrder(c *gin.Context) {}\n',
    }
    opened = workspace(files)
    end = analyze(opened, "what handles GET /api/orders/7").summary
    assert end == "GET /api/orders/7, if /orders/:id is the end of it, runs showOrder (main.go:8)"
    assert analyze(opened, "what handles GET /orders/7").summary == "GET /orders/7 runs showOrder (main.go:8)"


@pytest.mark.parametrize("question", ["what handles GET /api/users/7", "GET /api/carts/7", "/users/7/orders/8"])
def test_a_path_below_another_group_is_no_route(workspace, question):
    answer = analyze(workspace(GROUPED), question)
    assert not answer.get_items("entry_points")


@pytest.mark.parametrize("question", ["what happens on DELETE /orders", "what happens when the add command runs"])
def test_what_is_not_declared_runs_nothing(workspace, question):
    answer = analyze(workspace(FILES), question)
    assert " runs " not in answer.headline()
    assert not answer.get_items("entry_points")


@pytest.mark.parametrize(
    ("question", "asked"),
    [
        ("how does main get to Store.svae?", {"start": "main", "goal": "Store.save"}),
        ("path from start_sevrer to Store.save", {"start": "start_server", "goal": "Store.save"}),
    ],
)
def test_an_end_of_a_path_that_does_not_exist_is_told_with_the_most_similar_name(workspace, question, asked):
    files = {"app.py": "def main(): ...\n\n\ndef start_server(): ...\n\n\nclass Store:\n    def save(self): ...\n"}
    answer = analyze(workspace(files), question)
    assert answer.headline().startswith("no symbol, file, entry point or text")
    assert answer.coverage.next.arguments == asked


def test_words_after_get_to_that_are_no_name_are_searched_for(workspace):
    answer = analyze(workspace({"app.py": "def login(): ...\n"}), "how does login get to production")
    assert "no symbol, file" not in answer.headline()


_ADD, _REMOVE = (
    f'package app;\n\nimport org.aesh.command.CommandDefinition;\n\n@CommandDefinition(name = "{name}")\n'
    f"public class {title} extends Base {{\n    int perform() {{ return Store.{name}(); }}\n}}\n"
    for name, title in (("add", "AddThing"), ("remove", "RemoveThing"))
)
INHERITED = {
    "app/AddThing.java": _ADD,
    "app/RemoveThing.java": _REMOVE,
    "app/Base.java": "package app;\n\npublic abstract class Base {\n    abstract int perform();\n"
    "    public int execute(String in) { return perform(); }\n}\n",
    "app/Store.java": "package app;\n\nclass Store {\n    static int add() { return 1; }\n"
    "    static int remove() { return 2; }\n}\n",
}


@pytest.mark.parametrize(("name", "line"), [("add", 4), ("remove", 5)])
def test_of_a_command_whose_base_runs_it_only_its_own_override_is_followed(workspace, name, line):
    opened = workspace(INHERITED)
    asked = analyze(opened, f"what happens when the {name} command is run")
    traced = trace_entry_point(opened, name)
    class_file = f"app/{name.title()}Thing.java"
    assert [(each.file, each.line) for each in asked.get_items("flow")] == [(class_file, 7), ("app/Store.java", line)]
    assert [(each.file, each.line) for each in traced.flow] == [
        ("app/Base.java", 5),
        (class_file, 7),
        ("app/Store.java", line),
    ]


def test_the_name_of_the_method_that_runs_is_no_name_of_a_command(workspace):
    asked = analyze(workspace(INHERITED), "what happens when the execute command is run")
    assert asked.get_items("entry_points") == ()


PLACED = {
    f"src/commands/orders/{name}.ts": f"export default class Orders{name.title()} extends Command {{\n"
    f"  async run() {{\n    {name}Order();\n  }}\n}}\n\nfunction {name}Order() {{}}\n"
    for name in ("add", "remove")
}


@pytest.mark.parametrize(
    "question",
    ["what happens when the orders add command runs", "what happens if the orders:add command is run?"],
)
def test_a_command_of_several_words_is_known_by_all_of_them(workspace, question):
    answer = analyze(workspace(PLACED), question)
    flow = [(each.file, each.line) for each in answer.get_items("flow")]
    assert flow == [("src/commands/orders/add.ts", 2), ("src/commands/orders/add.ts", 7)]


def test_words_before_a_command_that_no_command_has_are_passed_over(workspace):
    answer = analyze(workspace(FILES), "what happens when the user given quit command runs")
    assert [(each.file, each.line) for each in answer.get_items("flow")][:1] == [("commands.c", 3)]


def test_a_command_whose_name_has_a_hyphen_is_no_key(workspace):
    files = {
        "push.py": "def cmd_archive_push(given):\n    return given\n",
        "run.py": 'def run_all():\n    """Wait while the command runs."""\n',
    }
    answer = analyze(workspace(files), "what happens when the archive-push command runs")
    assert not answer.get_items("lines")
    assert "cmd_archive_push" in answer.summary


KEYS = {
    "keys.go": "package main\n\ntype Command int\n\nconst (\n\tQuit Command = iota\n\tSave\n)\n\n"
    "var table = []Bind{\n\t{KeyCtrlS, Save},\n\t{KeyCtrlQ, Quit},\n}\n",
    "home.go": "package main\n\nfunc handle(command Command) {\n\tswitch command {\n\tcase Save:\n\t\tstore()\n"
    "\tcase Quit:\n\t\tleave()\n\t}\n}\n\nfunc store() {\n\tflush()\n}\n\nfunc flush() {}\n\nfunc leave() {}\n",
}


@pytest.mark.parametrize(
    "question",
    [
        "what happens when I press ctrl+s, how does it get to flush?",
        "from Ctrl+S to flush",
        "how does pressing Ctrl-S reach flush",
        "when the user hits ctrl+s, how do we end up in flush",
    ],
)
def test_a_path_begins_at_the_branch_for_what_a_key_is_bound_to(workspace, question):
    answer = analyze(workspace(KEYS), question)
    steps = [(each.file, each.line, each.target) for each in answer.get_items("steps")]
    assert steps == [("home.go", 6, "store"), ("home.go", 13, "flush")]


def test_a_key_does_not_lead_to_what_another_key_does(workspace):
    answer = analyze(workspace(KEYS), "from Ctrl+S to leave")
    assert answer.get_items("steps") == ()
    assert answer.headline().startswith("no proven path from Ctrl+S (key, home.go:5")


ARMS = {
    "main.rs": "fn on_key(event: Event) {\n    match event {\n        KeyEvent {\n            code: KeyCode::F(2),\n"
    "            ..\n        } => {\n            remove();\n        }\n        KeyEvent {\n"
    "            code: KeyCode::F(3),\n            ..\n        } => {\n            show();\n        }\n    }\n}\n\n"
    "fn remove() {}\n\nfn show() {}\n",
}


@pytest.mark.parametrize("question", ["pressing F2 -> remove, what is the way?", "from F2 in the list to remove"])
def test_a_path_begins_at_the_branch_whose_pattern_has_the_key(workspace, question):
    answer = analyze(workspace(ARMS), question)
    assert [(each.file, each.line, each.target) for each in answer.get_items("steps")] == [("main.rs", 7, "remove")]


def test_the_branch_of_another_key_leads_elsewhere(workspace):
    answer = analyze(workspace(ARMS), "from F3 to remove")
    assert answer.get_items("steps") == ()


@pytest.mark.parametrize("question", ["where is the directory /api/orders/7 made?", "where is /api/orders/7 written?"])
def test_a_path_that_is_not_called_a_route_is_searched(workspace, question):
    assert not analyze(workspace(GROUPED), question).get_items("entry_points")


def test_a_route_that_is_not_declared_is_told_with_those_that_have_its_words(workspace):
    answer = analyze(workspace(GROUPED), "where is the route /orders/list/7 handled?")
    assert answer.headline() == "no route '/orders/list/7' is declared in a way that is recognized"
    answer = analyze(workspace(GROUPED), "what handles GET /v2/orders")
    assert answer.headline().startswith("no route 'GET /v2/orders' is declared in a way that is recognized")
    answer = analyze(workspace(GROUPED), "what handles PUT /orders")
    assert answer.headline().endswith("; 1 route has its words")
    assert [each.name for each in answer.get_items("similar_routes")] == ["/api/orders/:id"]


MACROS = {
    "api/orders.rs": '#[routes(\n    "/{id}/lines" => sub(LinesApi),\n    "/{id}/labels" => sub(LabelsApi),\n)]\n'
    "struct Api;\n",
    "api/paths.rs": "/// Serves /orders.\nfn serve_orders() {}\n",
    "tests/orders.rs": 'fn check() {\n    call("/{id}/lines");\n}\n',
}


def test_where_the_end_of_the_path_of_an_undeclared_route_stands_is_told(workspace):
    answer = analyze(workspace(MACROS), "how does POST /orders/{order}/lines get to serve_orders?")
    place = "the end of its path stands at api/orders.rs:2"
    assert (
        answer.headline() == f"no route 'POST /orders/{{order}}/lines' is declared in a way that is recognized; {place}"
    )
    assert [(each.file, each.line) for each in answer.get_items("lines")] == [("api/orders.rs", 2)]
    assert not analyze(workspace(MACROS), "how does POST /orders/{id} get to serve_orders?").get_items("lines")


def test_a_route_whose_words_other_code_has_is_searched(workspace):
    files = {"app.py": "def run(app):\n    app.mount(mapping={'orders/list': 1})\n"}
    assert "no route" not in analyze(workspace(files), "where is the route /orders/list handled?").headline()


TASKS = {
    "tasks.py": "from celery import shared_task\nfrom django.dispatch import receiver\n\n\n@shared_task\ndef clean():\n"
    "    pass\n\n\n@receiver(post_save)\ndef index(sender, **kwargs):\n    pass\n",
    "models.py": "class MailTask:\n    pass\n\n\nclass PrintTask:\n    pass\n",
}


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("list the celery tasks", ["clean"]),
        ("which background jobs are there?", ["clean"]),
        ("which event handlers exist?", ["post_save"]),
        ("list the django handlers", ["post_save"]),
        ("which tasks are there?", []),
        ("list the mail tasks", []),
    ],
)
def test_what_no_person_starts_is_listed_and_classes_with_such_names_are_not(workspace, question, named):
    answer = analyze(workspace(TASKS), question)
    assert [each.name for each in answer.get_items("entry_points")] == named


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("list the celery tasks in shop/orders", ["send"]),
        ("which celery tasks are there in shop/orders", ["send"]),
        ("which background jobs are there in shop/orders/", ["send"]),
        ("list the routes in shop/orders", ["/orders"]),
        ("list the routes of shop/stock/views.py", ["/stock"]),
        ("list the celery tasks in shop/stock/views.py", []),
    ],
)
def test_entry_points_are_listed_below_a_directory_that_declares_them_or_what_they_run(workspace, question, named):
    task = "from celery import shared_task\n\n\n@shared_task\ndef {}():\n    pass\n"
    files = {
        "shop/urls.py": "from django.urls import path\nfrom shop.orders import views\n"
        "from shop.stock import views as stock\n"
        "urlpatterns = [path('orders', views.show), path('stock', stock.show)]\n",
        "shop/orders/views.py": "def show(request): ...\n",
        "shop/stock/views.py": "def show(request): ...\n",
        "shop/orders/jobs.py": task.format("send"),
        "shop/stock/jobs.py": task.format("count"),
    }
    answer = analyze(workspace(files), question)
    assert [each.name for each in answer.get_items("entry_points")] == named
    assert answer.headline().endswith(f" in {question.split()[-1].rstrip('/')}")


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("routes below /orders", ["/orders", "/orders/paid"]),
        ("which routes are below /orders", ["/orders", "/orders/paid"]),
        ("show the endpoints that live under /orders/paid", ["/orders/paid"]),
        ("which endpoints start with /orders/paid?", ["/orders/paid"]),
        ("list all routes under /ord", []),
        ("which routes begin with /stock", ["/stock"]),
    ],
)
def test_routes_are_listed_below_a_path_of_their_own(workspace, question, named):
    routes = "".join(f"app.get('{path}', show);\n" for path in ("/orders", "/orders/paid", "/stock"))
    opened = workspace(
        {"app.js": f"const app = express();\n{routes}function show() {{}}\n", "web/stock/a.js": "f();\n"}
    )
    answer = analyze(opened, question)
    assert [each.name for each in answer.get_items("entry_points")] == named
    assert answer.headline().endswith(f" below {question.split()[-1].rstrip('?')}")


def test_a_kind_of_which_a_directory_has_none_is_answered_by_its_contents(workspace):
    files = {"shop/a.py": "def f(): ...\n", "other/b.py": "class HtmlParser: ...\n\n\nclass CsvParser: ...\n"}
    opened = workspace(files)
    answer = analyze(opened, "list the parsers in other/b.py")
    assert [each.symbol for each in answer.get_items("members")] == ["HtmlParser", "CsvParser"]
    answer = analyze(opened, "list the parsers in shop/a.py")
    assert answer.headline().partition(":")[0] == "shop/a.py"


@pytest.mark.parametrize("asked", ["routes", "celery tasks", "background jobs", "parsers"])
def test_a_directory_that_does_not_exist_has_no_entry_points_of_the_others(workspace, asked):
    opened = workspace({**TASKS, "app.js": "const app = express();\napp.get('/home', (request) => 1);\n"})
    answer = analyze(opened, f"list the {asked} in shop/nowhere")
    assert answer.headline() == "no file or directory shop/nowhere"
    assert not answer.get_items("entry_points")


def test_a_program_with_its_own_tasks_has_classes_for_them(workspace):
    files = {"jobs.py": "class BaseTask: ...\n\n\nclass Clean(BaseTask): ...\n\n\nclass Send(BaseTask): ...\n"}
    answer = analyze(workspace(files), "list the background jobs")
    assert [each.symbol for each in answer.get_items("members")] == ["Clean", "Send"]
    assert answer.summary == "2 classes below BaseTask"


def test_a_path_that_no_route_has_is_not_that_of_a_file_with_its_words(workspace):
    files = {
        "src/api/v3/series.js": "const app = express();\napp.post('/import', run);\nfunction run(req, res) {}\n",
        "src/web.js": "const app = express();\napp.get('/home', show);\nfunction show(req, res) {}\n",
    }
    opened = workspace(files)
    assert not trace_entry_point(opened, "POST /api/v3/series").flow
    assert "runs" not in analyze(opened, "what happens on POST /api/v3/series").summary
    assert trace_entry_point(opened, "series import").flow


def test_a_long_list_of_routes_is_given_whole(workspace):
    routes = "".join(f"app.get('/things/{number}', (req, res) => res.end());\n" for number in range(150))
    opened = workspace({"app.js": f"const app = express();\n{routes}"})
    assert analyze(opened, "list all routes").coverage.shown == 150
