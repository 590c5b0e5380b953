"""The conventions of Ruby."""

from __future__ import annotations

import re

from avionics.late_pattern import late_pattern
from avionics.syntax.conventions import (
    PLAIN_STRINGS,
    BuiltNames,
    ClassFinders,
    Conventions,
    FileNames,
    ImplicitUse,
    ScriptStrings,
    StoredClasses,
)
from avionics.syntax.testing import TestConventions, TestRunner

CONVENTIONS = Conventions(
    stored=StoredClasses(
        own_bases=late_pattern(
            r"(?:ApplicationRecord|ActiveRecord::Base|ActiveRecord\.Base|Sequel::Model|Sequel\.Model)\b.*"
        )
    ),
    files=FileNames(
        unread_code=re.compile(
            r"\.(?:haml|slim|ru|builder|feature|arb|ry|y|rl|cr)$"
            r"|(?:^|/)(?:Rakefile|Gemfile|Guardfile|Thorfile|Vagrantfile|Capfile)$"
        )
    ),
    tests=TestConventions(
        calls=("describe",),
        runners=(
            TestRunner(("bundle", "exec", "rspec"), "{file}", suffix="_spec.rb"),
            TestRunner(("bin/rails", "test"), "{file}", file="bin/rails", suffix="_test.rb"),
            TestRunner(("ruby", "-Ilib", "-Itest"), "{file}", suffix=".rb", group="{file}"),
        ),
        titled=late_pattern(
            r"^\s*+(?:it|specify|scenario)[ (]\s*+([\"'])(?P<title>(?>(?:\\.|(?!\1)[^\\\n])+))\1", re.MULTILINE
        ),
    ),
    implicit=ImplicitUse(
        class_hooks=("inherited", "included", "prepended", "extended"),
        mixins=("include", "extend", "prepend"),
        script_strings=ScriptStrings(
            ("<<~", "<<-"),
            late_pattern(
                rf"""#[^\n]*+|(?P<script><<[~-]["'`]?+(?P<end>[A-Z]\w*+)[\s\S]{{0,9000}}?\n[ \t]*+(?P=end)\b)"""
                rf"""|{PLAIN_STRINGS}|'(?>(?:[^'\\\n]++|\\.)*)'?+"""
            ),
        ),
        handing_out=late_pattern(
            r"(?P<kept>\.\s*(?:equal\?|eql\?|is_a\?)\s*(?=\())?"
            r"(?:[(,\[{]\s*(?:\w+:\s*)?self\s*(?=[,)\]}\n])|\w<<\s*self\b|\w\s+<<\s+self\b(?<!class << self))",
            needs=("self",),
        ),
        built_names=BuiltNames(
            (
                "send",
                "public_send",
                "__send__",
                "respond_to",
                "method",
                "instance_method",
                "const_get",
                "define_method",
                "instance_variable_get",
                "instance_variable_set",
                "method_missing",
            ),
            late_pattern(r"""["':](\w{2,40})(?:#\{|["']\s*\+)"""),
            late_pattern(r"""\}(\w{2,40}[?!=]?)["']|\+\s*["'](\w{2,40}[?!=]?)["']"""),
        ),
        finding_bases=late_pattern(
            r"(?!(?:Array|BasicObject|Comparable|Data|Delegator|Enumerable|Hash|IO|Module|Numeric|Object|OpenStruct|Set"
            r"|SimpleDelegator|String\w*|Struct|Thread)\Z)[\w.:]++(?<!Exception)(?<!Error)"
        ),
        block_receivers=("instance_eval", "instance_exec", "class_eval", "class_exec", "module_eval", "module_exec"),
        native_calls=re.compile(r"\bFiddle\b|\battach_function\b"),
        core_names=late_pattern(
            r"[A-Z][A-Z\d_]*|\w*(?:Error|Exception|Interrupt|Stop\w*)|(?:Basic)?Object|Kernel|Module|Class|Integer|Float"
            r"|Numeric|String|Symbol|Array|Hash|Range|Proc|(?:Unbound)?Method|Regexp|MatchData|Time|File|FileTest|Dir|Nil"
            r"|NilClass|TrueClass|FalseClass|Struct|Data|Enumerable|Comparable|Thread(?:Group)?|Process|Math|Random"
            r"|Rational|Complex|Enumerator|Encoding|Errno|Fiber|Mutex|Queue|SizedQueue|ConditionVariable|ObjectSpace"
            r"|Marshal|Signal|Binding|Ractor|Refinement|TracePoint|Warning|Set|Gem|RbConfig"
        ),
        # https://guides.rubyonrails.org/autoloading_and_reloading_constants.html
        class_finders=ClassFinders(
            late_pattern(r"(?:^|/)(?:Gemfile|[\w-]+\.gemspec)$"),
            late_pattern(r"(?<=['\"])(?:rails|railties|hanami)(?=['\"])"),
        ),
    ),
    definition_lines=r"[ \t]*(?:def[ \t]+(?:self\.)?|class[ \t]+|module[ \t]+)(\w+[?!]?)",
)
