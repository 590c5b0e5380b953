"""Each intent in many wordings: terse, polite, as agents write, and in wrong grammar."""

from __future__ import annotations

import re

import pytest

from avionics.tools.questions.change_reader import LAST_RELEASE
from avionics.tools.questions.intent_guess import find_similar_questions
from avionics.tools.questions.intents import Needs
from avionics.tools.questions.reading import read_question
from avionics.tools.questions.rules.intent_rules import KEY, RULES
from tests.conftest import write_files

FILES = {
    "app/__init__.py": "",
    "app/views.py": "from app.store import Store\n\n\n"
    "class View:\n    def render(self, page):\n        return draw(page)\n\n\n"
    "def draw(page):\n    return Store().load(page)\n",
    "app/store.py": "class Store:\n    def load(self, page):\n        return open_page(page)\n\n\n"
    "def open_page(page):\n    return page\n",
    "app/settings.py": "HISTORY_LIMIT = 2000\n",
    "lib/sink.ts": "export interface Sink { put(): void }\nexport class File implements Sink { put() {} }\n",
    "lib/hsts.h": "int hsts_check(void);\n",
    "lib/hsts.c": '#include "hsts.h"\nint hsts_check(void) { return 1; }\n',
}

WORDINGS = {
    "returning": """
        which functions return View?
        which functions returns a View
        functions that return Store
        list all methods that return a list of Store
        show me every function returning `Page`
        what functions can return app.store.Store
        Please list the functions which return a Store object
        functions returning an int
        how many functions return bool
        find methods that returns Result
        anything that returns a View?
        which functions return a *View
        which functions take a View
        which functions accept a Store parameter
        """,
    "deprecated": """
        which functions are deprecated?
        deprecated functions
        what is deprecated
        list all deprecated methods
        which classes are marked as deprecated
        is anything deprecated here?
        show me deprecated code
        what functions is deprecated already
        find deprecated APIs
        Which methods have been deprecated in app/store.py?
        are there any deprecated functions
        """,
    "packages": """
        what dependencies does this project use
        which third-party packages are used?
        which libraries does the project depend on
        third party deps
        list dependencies
        list all external libraries used in this repo
        which packages do we use
        Please list the third-party dependencies of app/store.py
        what does this project depend on?
        what 3rd party libs is used here
        show me the external packages that the code needs
        which external dependencies are declared
        is requests a dependency
        Is `left-pad` a direct dependency of this project?
        do we depend on @scope/thing
        what version of serde do we use
        is github.com/go-chi/chi one of our dependencies
        """,
    "markers": """
        where are the TODOs?
        list FIXMEs in app/
        show me all TODO comments
        TODOs and FIXMEs
        how many TODOs are there
        are there any FIXME left?
        find todo comments in app/store.py
        list all open TODOs of this project please
        where is the todos
        Please list the HACK comments in the code
        XXX comments
        """,
    "largest": """
        what are the longest functions?
        which functions are the longest
        largest files
        biggest classes in app/
        list the 10 longest methods
        show me the largest functions by lines
        what is the biggest file
        Which files are largest in this repo?
        longest functions in app/store.py
        what is the longest functions
        which class has the most lines
        """,
    "asynchronous": """
        which functions are async?
        async functions
        list all async methods
        what functions are asynchronous in app/
        show me the coroutines
        which methods are declared async
        are there any async functions in the project
        find asynchronous functions
        which functions is async
        how many async functions are there
        """,
    "undocumented": """
        which functions have no docstring?
        undocumented functions
        which functions are undocumented
        list public functions without documentation
        which classes are not documented in app/
        methods missing docstrings
        functions with no docs
        Please find the functions that lack a docstring
        which functions does not have a docstring
        show me undocumented code
        which methods don't have docs
        """,
    "used_most": """
        which functions are used most?
        most used functions
        what are the most important classes
        top 10 most called functions in app/
        list the functions with the most callers
        which files are imported the most
        Please show me the most frequently used methods
        which function is called the most often
        what is the most used classes here
        core modules of the project
        which class has the most users
        """,
    "recursive": """
        which functions in app/store.py call themselves?
        which functions are recursive?
        recursive functions
        list functions that call themselves
        what functions calls itself
        are there any recursive methods in app/store.py
        show me all recursive code
        find the functions which invoke themselves
        which methods use recursion
        Which functions in the code are recursive?
        how many recursive functions are there
        """,
    "test_only": """
        what is only used in tests?
        which functions are only called from tests
        code that is used only by tests
        list the functions used only in tests
        what are only needed for tests
        show me code only tests use
        which classes are exclusively used in unit tests
        test-only functions
        functions called nowhere but in tests
        what code is just used by the tests
        Which helpers are only referenced from tests in app/?
        """,
    "untested": """
        which functions have no tests?
        untested functions
        untested code in app/
        which functions are not tested
        files without tests
        list the methods that are not covered by tests
        what code has no unit tests
        functions lacking tests
        which classes don't have any tests
        show me functions no test calls
        which functions isn't tested
        """,
    "cycles": """
        are there circular imports?
        circular imports
        import cycles
        are there any cyclic dependencies in app/
        which modules import each other
        list all dependency cycles
        do any files import one another
        find import loops
        show the circular dependencies of this project please
        which files include each other in a cycle
        """,
    "hotspots": """
        which files change most often?
        most changed files
        show hotspots
        which files are changed the most
        what files have the most commits
        list the most frequently modified files in app/
        top 5 most edited files
        Which modules were touched most often?
        show me the hot spots of the repo
        which files gets changed often
        """,
    "changes": """
        what changed between v5.6.2 and v5.6.3
        diff v1.0 v2.0
        HEAD~5 and HEAD
        what's the difference between 1.2.0 and 1.3.0?
        compare main with HEAD
        Could you please tell me what changed from v1 to v2?
        changes since v2.1.0
        whats different in release-1.4 vs release-1.5
        v1.2...v1.3
        List all symbols that differ between abc1234 and def5678.
        what did the last commit change
        show me my uncommitted changes
        what have changed between tag 3.5 and tag 3.5a
        which functions were added between v0.34.0 and v0.35.0?
        list the classes removed since v2.1.0
        show me the changes introduced in HEAD
        which functions were touched between v1.0 and v1.1
        anything removed between v1.0 and v1.1?
        what happened between v1.0 and v1.1
        explain commit 9cbb01cf
        """,
    "change_tests": """
        what tests should I run for my change
        which tests cover my uncommitted changes?
        tests for my changes
        Please list the tests that I need to run before I commit
        run which tests for this diff
        what test are affected by the current change
        tests affected by my edits
        which tests should be run for the changes since v1.2.0
        what tests to run for this PR
        I changed something, which tests must run
        """,
    "unused": """
        which functions are unused
        unused functions
        is there any dead code?
        find dead code in app/store.py
        which functions in app/store.py are unused
        which functions in app/store.py are not used
        what functions of lib/sink.ts are never called
        which methods of Store are never used
        are there methods of View that aren't used
        what functions is never called
        Please list functions that nobody calls
        which classes can be removed safely
        anything unused?
        where are functions that nobody calls?
        list unreferenced methods
        show me the dead functions
        what can be deleted
        which functions have no callers
        functions without callers
        is anything in app/store.py unused
        which functions in app/store.py does nobody call
        unused stuff in app/store.py
        list unused code
        which functions of app/store.py have no callers
        any leftovers nobody uses in app/store.py?
        """,
    "signature": """
        View.render(page) -> render(page, width): which call sites need a fix
        Modify open_page to return the error via an extra out parameter: enumerate the affected call sites
        Add a page.Context as first parameter of View.render. Which lines must be modified?
        View.render(page): if I add a boolean, what are the affected places?
        draw(page) => draw(page, width). What has to change?
        add a parameter to draw, what has to be touched
        what has to be changed if draw takes another argument
        if draw had a sixth parameter, what would I have to touch
        drop the second parameter of draw
        what breaks if I change the signature of draw?
        I want to add an argument to `draw`. What must be changed?
        remove the last argument of Store.load
        draw gets a new parameter
        I need one more argument in draw (app/views.py)
        which calls break when draw takes another argument
        rename the first parameter of draw
        add a boolean to draw. where does this hit?
        adding another optional flag to Store.load, who is affected
        Suppose draw takes one more argument. Which lines have to be fixed?
        If I would adding a param to draw, which places needs to be updated?
        make draw take one more argument
        I want to remove the `page` param from draw - which calls would break?
        change return type of draw: who is affected
        If draw took a view instead of a page, which callers break?
        make the page of draw optional, anything broken?
        impact of a new mandatory parameter in draw
        draw is going to be async, list me everything that is affected
        I make `open_page` asynchronous. Which callers have to await it?
        if View.render becomes a coroutine, what must be changed?
        turning draw into an async function: which calls break
        """,
    "path": """
        how does the width get to the screen? (draw to View.render)
        when the user passes --width, how do we get to open_page?
        what happens when I press ctrl+d, how does the page reach open_page
        open_page to View.render
        draw to open_page please
        draw reaches open_page how
        path View.render to open_page
        View.render to open_page, path?
        draw of app/views.py to open_page, which way?
        from POST /orders to the database
        POST /orders to the database
        how does draw get to the file system?
        does draw ever call open_page?
        can draw end up calling open_page
        flow from draw in app/views.py to open_page
        how does View.render get to open_page
        path from draw to open_page
        how does draw reach open_page?
        call path between draw and open_page
        what happens from draw to open_page
        Please trace the calls from View.render to open_page.
        how do we get from draw to open_page
        can draw reach open_page?
        draw -> open_page
        how is open_page called from View.render
        show the chain from draw to open_page
        how did View.render end up in open_page
        how draw comes to open_page
        does draw call open_page at some point?
        how does POST /orders make a row, in `open_page`
        I am debugging pages. When `View.render` runs, how does it get to `open_page`?
        does View.render call open_page directly
        starting at draw, how is open_page reached?
        from draw to open_page, step by step
        between draw and open_page, what's called?
        """,
    "tests": """
        I'd like to modify open_page, is there a spec for it
        open_page (app/store.py) has tests? which
        draw tests?
        hello, which tests are there for open_page in app?
        I am going to rewrite open_page, what tests exist
        I touched open_page, what to run?
        before changing View.render - which integration tests cover it
        what tests draw
        open_page unit tests please
        does anything test Store.load
        does any test cover open_page
        anybody testing Store.load
        tests for draw
        is there a test for draw and how do I run it
        do we have some tests for draw
        which tests cover draw?
        is draw tested?
        what tests exercise View.render
        Could you list the tests of Store.load please
        how is draw tested
        does draw have tests
        show tests that cover draw
        test coverage of draw
        what tests should I run if I touch draw
        where are the tests for app/store.py
        whats tested about draw
        what is tested for draw
        show me the specs for draw
        who tests draw
        what should I run after editing draw
        specs for draw
        """,
    "bases": """
        what does View inherit from
        base classes of View
        superclasses of View
        which class does View extend?
        parents of View
        what classes do View derive from
        what does View subclass
        supertypes of View
        ancestors of View
        Please give me the base class of View
        """,
    "members": """
        what methods does View have
        which public methods does View have?
        list the members of View
        members of class View
        fields of View
        what attributes are there in View
        how many methods does View have
        Please show me all methods of View
        which methods are declared in View
        what are the methods of View
        which classes are in app/views.py
        list the functions in app/store.py
        how many macros are there in lib/hsts.h
        list every enum variant of Store
        """,
    "task": """
        how do I run the tests?
        how to build it
        how can I start the server locally
        what command runs the linter
        Please tell me how to run the unit tests
        which make target builds the docker image
        start the app, how?
        how does one install the dependencies
        how is the project built
        how are the docs built
        how do I run the ruby tests
        how do I run the tests of the server
        run the migrations how
        how we deploy this
        how do I run the benchmarks please
        build instructions
        i want to format the code
        how do you set up a dev environment
        """,
    "start": """
        where should I start reading?
        where do i begin
        I'm new. Where should I start reading?
        where would one start
        where to start
        what should I read first
        which files should I read first?
        where can one start reading this code
        good place to start
        please, where do I start learning
        how should i begin with this project
        """,
    "tables": """
        what are the database tables?
        which tables are there
        list all db models
        database schema
        show me the database schema
        what tables does the project have
        where is the orders table defined?
        how is the schema defined
        how many database tables are there
        list the django models in app/store.py
        what sql tables exist
        all tables of the database
        what tables are in the database
        """,
    "kinds": """
        which parsers are there?
        list all exporters
        what sync targets exist
        which data providers are supported
        how many guards are there
        show me all the importers
        please list the parsers
        which kinds of queues do we have
        what parsers does the app support
        which playlist parsers are available?
        enumerate the listeners
        """,
    "events": """
        which events are there?
        what events does the app emit
        list all signals
        what signals does the project define
        list the domain events
        which hooks are there
        what events are emitted
        show me all events
        how many events does it have
        which socket events exist
        """,
    "kin": """
        give me all Store implementations
        which stores do we have, so who extends Store?
        how is Sink implemented
        how is the Sink interface implemented?
        where is the interface Sink implemented
        all classes extending View
        types satisfying Store
        list the types implementing Store
        show me everything inheriting from View
        who implements View
        what types implement View
        subclasses of View
        which classes extend View
        what implements View?
        implementations of View
        Please list the classes that implement View.
        who overrides View.render
        where is View.render overridden
        which types implements View
        descendants of View
        subtypes of View
        Store subclasses
        show me the class hierarchy of View
        type hierarchy for Store
        inheritance tree of View please
        anything deriving from View
        list Store implementors please
        what kinds of Store are there
        """,
    "impact": """
        what is affected if I change draw
        blast radius of Store
        what would changing draw affect?
        which functions are affected by a change to open_page
        what do my changes affect?
        Please do an impact analysis of Store.load
        transitive callers of open_page
        what depends on app/store.py, directly or indirectly?
        who all is impacted when open_page changes
        ripple effects of renaming draw
        everything that is affected by Store
        what uses open_page indirectly
        """,
    "callees": """
        what does draw call
        which functions does draw call?
        callees of draw
        call tree of draw
        what is called by draw
        what functions are called from draw
        calls made by draw
        what does View.render invoke
        what methods do View.render calls
        call graph of draw please
        """,
    "imports": """
        what does app/views.py import
        imports of app/views.py
        dependencies of app/views.py
        which modules does app/views.py depend on?
        what is imported by app/views.py
        what does lib/hsts.c include
        list the imports in app/views.py
        What modules do views.py imports
        which headers does hsts.c include?
        app/views.py imports
        app/store.py depends on what?
        which modules does app/store.py need
        what all is imported in app/store.py
        on what does app/store.py depend
        does app/views.py import Store?
        does `app/views.py` still depend on app.store
        """,
    "dependents": """
        what imports app/store.py
        which files include hsts.h
        who includes hsts.h?
        importers of app/store.py
        who imports app/store.py
        which files use app/store.py
        what depends on app/store.py
        where is app/store.py imported
        Please show me which modules import store.py
        dependents of app/store.py
        who depend on app/store.py
        app/store.py is imported where
        modules using app/store.py
        reverse dependencies of app/store.py
        whats importing app/store.py
        if I delete app/store.py what files stop working
        """,
    "usage": """
        list every call of open_page in the views
        View.render, does any code here call it
        open_page in app/store.py, is it needed by anyone?
        who all is calling draw
        anybody still uses draw?
        anyone still calling draw?
        does anyone still call open_page
        if draw no longer accepted null, who would break?
        who calls draw
        can draw be deleted or does somebody use it?
        open_page: dead code?
        open_page still in use?
        what functions call open_page
        which code calls draw?
        is open_page dead code or unused
        can I safely remove draw
        is open_page unused
        does anyone still need draw
        who uses Store?
        callers of draw
        where is draw used
        usages of Store.load
        Please find all callers of the draw function.
        which functions call draw
        list all references to draw
        is draw used anywhere?
        who call draw
        what would break if I change draw
        where do we use Store
        draw usages
        who else is using `draw()`, besides the tests?
        who throws Store
        who catches Store
        what rescues Store
        what reads HISTORY_LIMIT
        who else writes HISTORY_LIMIT
        what accesses open_page
        any code instantiating Store
        what is calling draw
        who mutates Store
        what is using draw, and from which file
        from where draw is called
        draw is called where
        draw called from?
        where draw get called
        find every place that calls draw
        which code paths call draw
        whats calling draw
        draw xrefs
        any callers left for draw?
        draw(page, width): what do I break
        """,
    "option": """
        which command-line flags are there?
        why are pages dropped after a month, can this be turned off?
        who may open a page, and how do I restrict it?
        which port does it listen on by default?
        can the log be smaller?
        is it possible to use it without a browser
        can I have the log somewhere else
        which file do I edit to change the port?
        turn off update checks
        timeout for slow connections
        is there a limit for the number of pages?
        what are the CLI flags
        list all command line options
        show me the flags
        which flags does this program take
        Please list the available command-line arguments
        what cli options does it support?
        cli flags
        command line switches of the program
        what flags can i pass
        which cmdline options is accepted
        which option controls the page size
        which flag only prints the page size
        what output setting just shows the page size
        Pages should be drawn slowly. Is there an option?
        can pages be drawn slowly? any setting for that?
        which option of the draw command sets the page size?
        what setting limits the history?
        which environment variable sets the cache directory
        env var for the cache directory?
        where do the pages go, and what if I say nothing?
        pages older than a day are dropped, what happens if I do not set it
        which pages are left out, and where can I change that?
        how do I configure the timeout
        what flag disables colors
        is there a setting that turns off logging
        how can I disable the cache
        name the option that overrides the address
        which config key determine the default theme
        what command line option select the output format
        which setting says how many pages the history may hold
        what option reports slow pages
        how many pages may be open at once, which option?
        how can I forbid that pages are printed
        how do I allow printing of pages
        where do I say how long a page may load
        where can users set the theme
        command line switch so that nobody prints a page
        setting: how long to wait for a page
        how wide is a page, what's the property
        timeout for pages: option?
        what's the timeout for a page
        what is the default limit of pages
        what is the default page size
        what's the default value of the theme and where can it be changed?
        which setting do I need behind a proxy
        how can i cap the memory that pages may take
        can we limit how many pages are loaded at the same time? which flag
        what limits the size of a page
        could I restrict the number of pages
        how to silence the warnings
        how do I change the port of the server?
        how can I make it not follow links
        what controls the size of a page
        change the folder of the pages
        limit how often pages are loaded
        is there a way to stop it drawing twice
        can it be told to skip hidden pages
        what do I need to switch on so that it logs everything
        what do I have to set to use a proxy
        what must be configured for signed pages
        where to say which file has the pages
        stop the run after a number of errors, where's that set
        max number of pages, configurable?
        how long does it wait before giving up, and can that be changed?
        I want it to be quiet. flag?
        it should use fish instead of bash; what to set?
        which config entry decides about the sort order
        what do I put in the config file to sort by year
        how can the sort order be changed
        any setting about the sort order?
        which parameter has to be given for json output
        how does a user change the sort order
        list all settings about drawing
        which options exist for the web server
        pages should be drawn every day, what to put in the config
        old pages stay, how do I have them removed before each run
        after a restart it is empty, can it keep the pages?
        Pages vanish after an hour. Where do I make this longer?
        a slow page is given up too early, where can I give it more time
        The printer needs a minute for a page. How can I give it more time?
        how do I slow this down
        how do I get smaller pages
        how can I let guests see the pages?
        how do I stop it from drawing twice
        The page is drawn at once. Can the view wait for the store?
        can I turn that off
        the pages are in colour, can't I turn it off
        Can I keep more than ten pages?
        It gives up after three pages. Could it also try the others?
        every page is stored twice, can these be left out?
        is it possible to print no page at all
        any chance to have it print in colour?
        way to hide the border of a page
        Strangers read our pages. Is there something against that?
        When a page is missing, it stops. I'd like it to go on.
        I want it to keep five backups
        I don't want the pages to be stored on disk
        we would prefer old pages not to be shown
        I only want the pages of today
        I just need the first page
        a page is drawn after ten seconds, make it 30
        all cores are busy while it draws, limit that
        "page not found" is printed for each of them, can I turn that off?
        it says "the store has no such page" all the time, can I disable that
        StoreError: page not found after 10 s. Which setting makes this longer?
        it quits when I press escape, can I turn that off?
        why does it always draw twice, can't I stop it from doing that
        """,
    "history": """
        why was draw added
        history of app/store.py
        who wrote draw?
        when was draw introduced
        why does draw exist
        who last changed app/views.py
        what changed recently in app/views.py
        why does the page store hold a lock while loading?
        latest commits to draw
        rationale for draw
        which commit introduced draw
        which commits touched app/store.py
        commits that touched app/views.py
        why was history-limit added
        why does the setting HISTORY_LIMIT exist?
        how come draw exists
        how come there is a draw
        what is the story behind draw
        what is the story behind old_draw being gone?
        for what reason was draw introduced
        since when do we have draw
        who came up with draw
        what motivated draw
        how old is draw
        """,
    "error": """
        ValueError: page 12 does not exist
        java.lang.IllegalStateException: queue is closed
        panic: runtime error: index out of range [3] with length 2
        fatal: not a git repository
        Error: Cannot find module 'x'
        TypeError: draw() takes 1 positional argument but 2 were given
        error: expected identifier
        Exception in thread "main" java.lang.Error: broken
        thread 'main' panicked at 'oops'
        app.errors.NotFoundException: no page 7
        error[E0308]: mismatched types
        why do I get Cannot draw more than 1000 pages (got 5000)
        what triggers the warning Could not draw any page of the store.
        why do I get "Unterminated quoted page"
        """,
    "map": """
        app/store.py explained for a newcomer, and who uses it?
        app/ - which modules are in there
        please give a short explanation of app/store.py and of who uses it
        explain app/store.py (and which files import it)
        explain app/store.py
        what does app/store.py do
        what is in app?
        whats in app
        what is app/store.py for
        describe app/views.py
        Please give me an overview of app/store.py
        contents of app/
        summarize store.py
        list what app/store.py contains
        tell me about app/views.py
        what app/store.py does
        summary of app/store.py please
        i dont understand app/store.py
        walkthrough of app/store.py
        which things live in app/
        """,
    "entries": """
        what commands are available?
        which routes are defined in the server
        what are the entry points?
        list all routes
        entry points
        show me the endpoints
        which routes are there
        where are the entry points
        list the http routes
        find all endpoints
        what endpoints exist
        show the api endpoints of this project
        what is the entry point of this program?
        where does the program start?
        where does execution begin
        how does this project start up
        in which file does the app start running
        where is execution begun
        list all scheduled tasks
        what background jobs are there?
        which scheduled tasks exist
        show me the event handlers
        list the cron jobs
        """,
    "parts": """
        list the packages
        which modules are there in app?
        what packages exist
        show the directories
        list modules
        which components are there
        what are the main packages
        list all folders
        show me the modules of this project
        what modules are there
        """,
    "code": """
        show me the code of draw
        what does draw do?
        signature of draw
        source of View.render
        definition of draw
        show the source code of Store.load
        body of draw
        print the implementation of draw
        parameters of draw
        give me the code for draw
        what type does draw return
        what are the parameters of draw
        what arguments does draw take
        """,
    "symbol": """
        draw
        View.render
        where is draw defined?
        what is View
        find draw
        locate Store
        explain View
        where can I find open_page
        show me Store
        describe View
        """,
    "flow": """
        how does rendering work?
        what happens when a page is loaded
        walk me through the loading of pages
        how are pages stored
        how is a page drawn?
        explain how pages are rendered
        how do pages get cached
        trace the loading of a page
        how does the page loading works
        what happens while a page is drawn
        what happens on POST /orders
        what happens when somebody calls /app/views
        which function handles GET /app/store
        what happens when the quit command runs?
        I need to understand how rendering of pages works
        what does draw do step by step
        what do the views do, in detail
        walk me through what happens when I run `draw store.py`
        """,
    "commits": """
        recent commits
        what changed in the last week?
        What has changed in app since 2024-05-01
        show me the last 5 commits please
        what was changed recently
        commits by Ada
        what did Ada work on?
        last month's commits
        which files were changed yesterday
        list commits in March 2024
        anything new since Monday?
        what happened in app/store.py this year
        give me summary of commits since yesterday
        """,
    "key": """
        what happens when I press Ctrl+D
        what happens if the user hits ctrl-c
        what happens on Ctrl+Q
        what happens when I press q
        what does pressing the 'd' key do
        what does Ctrl+Shift+P do?
        where is Escape handled
        how is Alt-Enter processed
        when user press F5 what is happening
        what is C-x bound to
        Please tell me what typing ^D does.
        pressing Enter, what does it trigger?
        where are the ctrl+k key handled
        Ctrl-R is pressed: which code runs
        """,
}


@pytest.fixture(scope="module")
def code(tmp_path_factory):
    from avionics.workspace import Workspace

    opened = Workspace.open(write_files(tmp_path_factory.mktemp("intents"), FILES))
    yield opened.code
    opened.close()


@pytest.mark.parametrize("intent", WORDINGS)
def test_an_intent_is_read_in_any_wording(code, intent):
    wordings = [line.strip() for line in WORDINGS[intent].strip().splitlines()]
    read = {text: read_question(code, text).intent.value for text in wordings}
    assert {text: found for text, found in read.items() if found != intent} == {}
    assert len(wordings) >= 10


def test_the_example_of_every_rule_is_read_as_its_intent(code):
    about = {"{}": "draw"}
    for rule in RULES:
        is_place = rule.needs in {Needs.PATH, Needs.WRITTEN_PATH}
        subject = "app/store.py" if is_place else "Sink" if rule.needs is Needs.INTERFACE else about["{}"]
        text = rule.example.replace("from `{}` to `{}`", "").replace("`{}` get to `{}`", "`draw` get to `open_page`")
        text = text.replace("{}", subject).replace("A and B", "v1.0 and v2.0")
        assert read_question(code, text).intent is rule.intent, text


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("what is the difference between draw and open_page", "path"),
        ("compare draw and open_page", "path"),
        ("how does a page get sent to a view", "path"),
        ("what did abc1234 change", "commits"),
        ("what did the last commit change", "commits"),
        ("what changed in the last 3 commits", "commits"),
        ("who changed draw last week", "commits"),
        ("where is the commit of a page done", "commits"),
        ("how is the last week computed?", "commits"),
        ("what does draw change", "commits"),
        ("how do pages get rendered at open_page", "path"),
        ("how does a store get opened in a view?", "path"),
        ("which functions are only used in tests", "usage"),
        ("what is the type of weather", "code"),
        ("what is the most used page", "used_most"),
        ("which functions are used in draw", "used_most"),
        ("how does recursion end", "recursive"),
        ("where does draw call itself", "recursive"),
        ("is draw only used in tests", "test_only"),
        ("which tests have no functions", "untested"),
        ("which functions have no callers", "untested"),
        ("tests for app/store.py", "untested"),
        ("where are circular imports reported", "cycles"),
        ("what changed between v1.0 and v1.1", "hotspots"),
        ("who changed draw most often", "hotspots"),
        ("list all pages", "members"),
        ("dependencies of app/store.py", "packages"),
        ("where is the todo rendered?", "markers"),
        ("what does a TODO do", "markers"),
        ("add a todo", "markers"),
        ("what is the longest line that draw accepts", "largest"),
        ("what is the largest page that may be stored?", "largest"),
        ("where are the biggest files deleted", "largest"),
        ("how are async functions called?", "asynchronous"),
        ("which functions await open_page", "asynchronous"),
        ("where are functions documented", "undocumented"),
        ("which functions have no callers", "undocumented"),
        ("is it a dependency", "packages"),
        ("is Store a dependency of View", "packages"),
        ("how are dependencies resolved?", "packages"),
        ("where are third-party packages loaded", "packages"),
        ("list the packages", "packages"),
        ("which modules are used", "packages"),
        ("what does draw depend on", "packages"),
        ("which version of the page is stored?", "packages"),
        ("where are files that nobody references any more wiped from the pool?", "unused"),
        ("how does it clean files that nothing uses", "unused"),
        ("does View depend on Store", "packages"),
        ("how do I run draw?", "task"),
        ("how does it start a page", "task"),
        ("how is a page built", "task"),
        ("which tests run draw", "task"),
        ("how do I start reading", "task"),
        ("how to install a hook", "task"),
        ("run the tests for my change", "task"),
        ("what does the run command do", "task"),
        ("how does the store build its index", "task"),
        ("which table does draw render", "tables"),
        ("how are tables rendered?", "tables"),
        ("where is the table sorted", "tables"),
        ("list the rows of a table", "tables"),
        ("where is the model loaded", "tables"),
        ("which events does draw handle twice", "events"),
        ("how are events sent?", "events"),
        ("where is the signal connected", "events"),
        ("where does draw start", "start"),
        ("how do I start the store", "start"),
        ("how is draw implemented", "kin"),
        ("how is View implemented", "kin"),
        ("convert a page to text please", "path"),
        ("page to text", "path"),
        ("how does draw end up deleting the views", "path"),
        ("what happens when I press Ctrl+D", "path"),
        ("which key quits the program", "option"),
        ("which keyboard shortcut should I press to delete a page", "option"),
        ("how do I get the page to display nicely", "path"),
        ("how long does it wait after I press Ctrl+D, which setting is that?", "key"),
        ("what happens if a page says nothing", "option"),
        ("views of the Store are drawn again when nobody used them", "usage"),
        ("how does a page of the view get to an environment variable", "option"),
        ("how does draw get to showing the contents of the app", "map"),
        ("what happens when somebody calls in", "usage"),
        ("is there a way to get from draw to open_page", "option"),
        ("how come the page is not drawn", "history"),
        ("what is drawn for the page of the store", "tests"),
        ("is draw unused", "unused"),
        ("why do I get None from draw", "error"),
        ("where is the page drawn", "usage"),
        ("Memory implementations", "kin"),
        ("PageStore: since when and what for", "error"),
        ('why do I get "None" from draw', "error"),
        ("what should I run after the start", "tests"),
        ("what happened to the page", "changes"),
        ("the user for the store gives up after how many pages", "usage"),
        ("i changed View.render. what tests should I look at?", "change_tests"),
        ("can the page be drawn twice", "option"),
        ("The page is missing. Can this happen twice?", "option"),
        ("a page is opened by two views. Can it be None?", "option"),
        ("the store is closed first. Can draw still be called?", "option"),
        ("is it possible to reach open_page from draw", "option"),
        ("is it possible to remove open_page without breaking anything", "option"),
        ("is it possible to call draw twice", "option"),
        ("the page was not found: could not open the store", "option"),
        ("page 'x' is unknown, could not draw it", "option"),
        ("any callers of draw left, or can it be deleted", "option"),
        ("can I remove draw", "option"),
        ("can I call draw from the store", "option"),
        ("where do I find the store", "option"),
        ("where do we make it smaller", "option"),
        ("how do we let it draw twice", "option"),
        ("how do I make it compile", "option"),
        ("way from draw to open_page", "option"),
        ("I want to know where pages are dropped", "option"),
        ("I need the code that draws a page", "option"),
        ("I'd like to see the call chain between draw and open_page", "option"),
        ("I want to change draw", "option"),
        ("I want to add a page to the store", "option"),
        ("I need all usages of open_page", "option"),
        ("I want the tests for draw to pass", "option"),
        ("I want draw.page to be a list", "option"),
        ("A page is stored twice. Can the store notice that? Which code does it?", "option"),
        ("Old pages shouldn't be drawn. Where is that ensured?", "option"),
        ("where is the retry done", "option"),
        ("pages older than a day are thrown away, where?", "option"),
        ("how does it keep the pages apart", "option"),
    ],
)
def test_a_question_is_not_read_as_another_one(code, text, intent):
    assert read_question(code, text).intent.value != intent


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("how does View.render get to open_page?", ("View.render", "open_page")),
        ("how is open_page called from View.render", ("View.render", "open_page")),
        ("how does open_page get called by View.render", ("View.render", "open_page")),
        ("how does a page get passed from draw to open_page", ("draw", "open_page")),
        ("path from the function draw to open_page please", ("draw", "open_page")),
        ("How does a call of View.render get to open_page?", ("View.render", "open_page")),
        ("how draw reaches open_page", ("draw", "open_page")),
        ("draw to open_page please", ("draw", "open_page")),
        ("draw of app/views.py to open_page, path?", ("app/views.py:draw", "open_page")),
        ("draw reaches open_page how", ("draw", "open_page")),
        ("path draw to open_page", ("draw", "open_page")),
        ("how does a click get from View.render to open_page?", ("View.render", "open_page")),
        ("How do the bytes of a page travel from draw to open_page", ("draw", "open_page")),
        ("trace View.render to open_page", ("View.render", "open_page")),
        ("how does draw end up running an external command?", ("draw", "external command")),
        ("how does POST /pages/new reach open_page", ("POST /pages/new", "open_page")),
        ("When somebody runs `View.render`, how does the call end up in `open_page`?", ("View.render", "open_page")),
        ("POST /pages/{id}: how does it get to View.render", ("POST /pages/{id}", "View.render")),
        ("open_page to View.render", ("open_page", "View.render")),
        ("a page comes in at View.render; how is open_page reached?", ("View.render", "open_page")),
        ("SAVE: View.render to open_page, list the functions in between", ("View.render", "open_page")),
        ("trace View.render -> draw -> open_page", ("View.render", "open_page")),
        ("POST /pages/new: which way does it take to open_page", ("POST /pages/new", "open_page")),
        ("a request enters View's Page::render, trace how it gets to open_page", ("View.render", "open_page")),
        ("How does a page that arrives at View.render end up in open_page?", ("View.render", "open_page")),
        ("how does View.render reach open_page when a page is missing?", ("View.render", "open_page")),
        ("when a client does POST /pages/new, how do we get to open_page?", ("POST /pages/new", "open_page")),
        ("when I pass --width, how do we get to open_page?", ("--width", "open_page")),
        ("POST /pages/new: how do we get from the view to loading it (open_page)?", ("POST /pages/new", "open_page")),
        ("page 1.2.3.4: how does the store come from the views to View.render?", ("views", "View.render")),
        ("from pressing Ctrl+D to open_page", ("Ctrl+D", "open_page")),
        ("what happens when i press ctrl+d, how does the page reach open_page", ("ctrl+d", "open_page")),
        ("how does draw end up loading the page of the store", ("draw", "loading the page of the store")),
        ("how do we get from draw to loading a page?", ("draw", "loading a page")),
        ("get from the views to load the page", ("views", "load the page")),
        ("from draw to open_page: what is the way?", ("draw", "open_page")),
        ("from pressing Ctrl+D in the list to open_page", ("Ctrl+D in the list", "open_page")),
        ("pressing F2 -> open_page, which way?", ("F2", "open_page")),
        ("open_page to loading a page, which way?", ("open_page", "loading a page")),
        ("when the user chooses --width, how do we reach loading a page", ("--width", "loading a page")),
        ("from draw to loading", ("draw", "loading")),
        ("how does it get from its start to open_page", ("its start", "open_page")),
        ("how does the program get from the command line to loading a page", ("command line", "loading a page")),
        ("how does draw get to the loading of a page", ("draw", "loading of a page")),
    ],
)
def test_the_ends_of_a_path_have_their_direction(code, text, ends):
    assert read_question(code, text).ends == ends


@pytest.mark.parametrize(
    ("text", "base", "head"),
    [
        ("what changed between v5.6.2 and v5.6.3", "v5.6.2", "v5.6.3"),
        ("what changed between 240711-2197af848 and 240915-e1280b2fb?", "240711-2197af848", "240915-e1280b2fb"),
        ("HEAD~5 and HEAD: what is different", "HEAD~5", "HEAD"),
        ("changes since v2.1.0", "v2.1.0", None),
        ("what did the last commit change", "HEAD~1", "HEAD"),
        ("diff main feature/login", "main", "feature/login"),
        ("what did abc1234 change", "abc1234~1", "abc1234"),
        ("show me my uncommitted changes", None, None),
        ("difference 1.0a36 / 1.0a37 pls", "1.0a36", "1.0a37"),
        ("what's different in lib-3.5.19 compared to lib-3.5.18", "lib-3.5.18", "lib-3.5.19"),
        ("v2.0 against v1.0: what is new", "v1.0", "v2.0"),
        ("v1.0 vs v2.0", "v1.0", "v2.0"),
        ("what was changed in v4.48.2 since v4.48.1?", "v4.48.1", "v4.48.2"),
        ("whats new in 2.0.0 over 1.9.0", "1.9.0", "2.0.0"),
        ("which functions were added between v0.34.0 and v0.35.0?", "v0.34.0", "v0.35.0"),
        ("show me the changes introduced in HEAD~2", "HEAD~2~1", "HEAD~2"),
        ("what got changed in the latest commit", "HEAD~1", "HEAD"),
        ("what changed in the last release", None, LAST_RELEASE),
        ("whats new in the latest stable version?", None, LAST_RELEASE),
        ("which functions were removed since the previous release", LAST_RELEASE, None),
        ("anything breaking after the newest tag?", LAST_RELEASE, None),
    ],
)
def test_revisions_are_taken_from_a_question(code, text, base, head):
    change = read_question(code, text).change
    assert (change.base, change.head) == (base, head)


def test_a_question_that_is_not_understood_is_offered_two_readings():
    assert find_similar_questions("tests whichever the draw thing covering", "draw")[0] == "which tests cover `draw`?"
    assert len(find_similar_questions("something else entirely")) == 2
    assert "which events are there?" not in find_similar_questions("Which events are there?")


def test_of_several_definitions_the_most_used_one_is_meant(workspace):
    files = {
        "a/one.py": "def start(): ...\n",
        "b/two.py": "def start(): ...\n\n\ndef go():\n    start()\n    start()\n",
        "tests/test_a.py": "def start(): ...\n\n\ndef test_it():\n    start()\n    start()\n    start()\n",
    }
    question = read_question(workspace(files).code, "who calls start?")
    assert question.definition.file == "b/two.py"
    assert [each.file for each in question.others] == ["a/one.py", "tests/test_a.py"]


@pytest.mark.parametrize(
    "text", ["Ctrl+D", "ctrl-shift-left", "command r", "cmd k", "Alt Enter", "shift f5", "M-x", "Ctrl+?"]
)
def test_a_modifier_with_a_key_is_a_key(text):
    assert re.search(KEY, text, re.IGNORECASE)[0] == text


@pytest.mark.parametrize("text", ["the command runs", "which option sets it", "the command `serve`", "shift left"])
def test_a_word_behind_the_name_of_a_modifier_is_no_key(text):
    assert re.search(KEY, text, re.IGNORECASE) is None


@pytest.mark.parametrize(
    "text",
    [
        "why was Store dropped after a month?",
        "who calls draw, and where is it defined?",
        "which function is called by default?",
        "is it possible to use this class without a session",
        "disable foo()",
        "can I move this function",
    ],
)
def test_questions_about_code_are_not_read_as_ones_for_options(code, text):
    assert read_question(code, text).intent.value != "option"
