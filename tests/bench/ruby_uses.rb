# frozen_string_literal: true

# Print the uses that a run of a repository's own tests shows, as rows for bench_certainty.py:
#
#     cd repos/mustermann
#     RUBYOPT="-r$PWD/ruby_uses.rb" RUBY_USES=mustermann.tsv rspec
#     python tests/bench/bench_certainty.py repos/mustermann .rb 150 seen mustermann.tsv
#
# RUBY_USES is the file to which rows are added, RUBY_USES_ROOT the checkout (else the current directory). A row has the
# file, line and column of a use, its name, and the file, line and column of its declaration, separated by tabs. Ruby 3.1.
#
# A call counts where the expression that the runtime names as its place has the name of the method, as in `x.name`, or a
# symbol of it, as in `map(&:name)`. An alias is a row with its own name. Constants are looked up as Ruby does, in the
# loaded program, at the end of the run. What is evaluated from strings has no rows. The table is not whole: it lacks
# what no test runs.

module RubyUses
  ROOT = File.realpath(ENV["RUBY_USES_ROOT"] || Dir.pwd)
  CALLS = %i[CALL QCALL OPCALL FCALL VCALL ATTRASGN OP_ASGN1 OP_ASGN2].freeze

  @calls = {}
  @paths = {}
  @lines = {}
  @scripts = {}
  @openings = Hash.new { |known, opened| known[opened] = [] }.compare_by_identity
  @rows = {}

  class << self
    # Start to watch.
    def start
      names = accessor_names
      traces = [
        TracePoint.new(:script_compiled) { |trace| note_script(trace) },
        TracePoint.new(:class) { |trace| note_opening(trace) },
        TracePoint.new(:call) { |trace| note_call(trace, trace.path, trace.lineno, caller_locations(2, 1)&.first) },
        TracePoint.new(:c_call) do |trace|
          note_accessor(trace, caller_locations(1, 1)&.first) if names[trace.callee_id]
        end
      ]
      traces.each(&:enable)
      at_exit do
        traces.each(&:disable)
        finish
      end
    end

    # Return the path of a Ruby file of the checkout; nil for any other.
    def inside(path)
      return @paths[path] if @paths.key?(path)

      full = File.expand_path(path)
      full = File.realpath(full) if File.file?(full)
      @paths[path] = full.start_with?("#{ROOT}/") && File.file?(full) ? full : nil
    end

    private

    def accessor_names
      symbols = Dir["#{ROOT}/**/*.rb"].select { |path| File.file?(path) }.flat_map do |path|
        File.binread(path).scan(/\b(?:attr_\w+|attr|cattr_\w+|mattr_\w+)\b[\s(]+((?::\w+[\s,]*)+)/).flat_map do |(listed)|
          listed.scan(/\w+/)
        end
      end
      symbols.flat_map { |name| [name.to_sym, :"#{name}="] }.to_h { |name| [name, true] }
    end

    def note_script(trace)
      return if trace.eval_script

      path = inside(trace.instruction_sequence.path)
      @scripts[path] = true if path
    end

    def note_opening(trace)
      path = inside(trace.path)
      @openings[trace.self] |= [[path, trace.lineno]] if path
    end

    def note_call(trace, path, line, from)
      home = inside(path)
      place = home && from&.path && inside(from.path)
      return unless place

      key = [place, from.lineno, trace.callee_id, home, line]
      return if @calls[key]

      @calls[key] = true
      add_call(key, from)
    end

    def note_accessor(trace, from)
      return unless from&.path && inside(from.path)

      home, line = trace.defined_class.instance_method(trace.method_id).source_location
      note_call(trace, home, line, from) if home
    rescue NameError
      nil
    end

    def add_call(key, from)
      place, line, callee, home, declared = key
      line = line_of_call(from, place, bare(callee))
      # A setter is also a row with the name that stands at the use.
      [bare(callee), callee.to_s].uniq.each { |name| add(place, line, name, home, declared) } if line
    rescue StandardError, SyntaxError
      nil # Evaluated code has no tree.
    end

    # Return the line of the name or of its symbol in the expression that calls a method; nil if it has neither.
    def line_of_call(from, place, name)
      node = RubyVM::AbstractSyntaxTree.of(from)
      return if node.nil?

      node = node.children.first if node.type == :ITER
      called = node.children.grep(Symbol).map { |each| bare(each) }
      if CALLS.include?(node.type) && called.include?(name)
        receiver = node.children.first
        after = receiver.is_a?(RubyVM::AbstractSyntaxTree::Node) ? [receiver.last_lineno, receiver.last_column] : nil
        find_line(node, place, after, /(?<![\w@$])#{Regexp.escape(name)}(?!\w)/)
      else
        find_line(node, place, nil, /:#{Regexp.escape(name)}(?![\w?!])/)
      end
    end

    # Return the name of a method, that of a setter without its sign.
    def bare(name)
      name.to_s.sub(/(?<=\w)=\z/, "")
    end

    def find_line(node, place, after, pattern)
      line, column = after || [node.first_lineno, node.first_column]
      (line..node.last_lineno).each do |number|
        text = lines_of(place)[number - 1].to_s.b
        text = text.byteslice(0, node.last_column) if number == node.last_lineno
        text = text.byteslice(column..).to_s if number == line
        return number if text.match?(pattern)
      end
      nil
    end

    def lines_of(path)
      @lines[path] ||= File.read(path, encoding: "UTF-8").lines
    end

    def add(file, line, name, home, declared)
      declared, column = declaration(home, declared, name)
      @rows[[file, line, 0, name, home, declared, column].join("\t")] = true
    end

    # Return the line and column where a name is declared by the statement that begins on a line.
    def declaration(home, line, name)
      word = Regexp.escape(name)
      first = lines_of(home)[line - 1].to_s.scrub
      if first.match?(/\A\s*(?:private\s+)?(?:def_\w+|[cm]?attr\w*|delegate)\b/)
        (line..line + 40).each do |number|
          column = lines_of(home)[number - 1].to_s.scrub.index(/(?<=:)#{word}(?![\w?!])/)
          return [number, column] if column
        end
      end
      headed = /\b(?:def|class|module)\s+(?:[\w:]+(?:\.|::))?(?=#{word}(?!\w))/.match(first)
      [line, headed ? headed.end(0) : first.index(/(?<!\w)#{word}(?!\w)/) || -1]
    end

    def finish
      $VERBOSE = nil
      @scripts.each_key do |path|
        Constants.new(path) { |line, name, owner| add_constant(path, line, name, owner) }.walk
      rescue StandardError, SyntaxError
        nil
      end
      return unless ENV["RUBY_USES"]

      File.open(ENV["RUBY_USES"], "a") { |file| @rows.each_key { |row| file.write("#{row}\n") } }
    end

    def add_constant(path, line, name, owner)
      file, declared = owner.const_source_location(name, false)
      home = file && inside(file)
      return unless home

      value = owner.const_get(name, false)
      places = value.is_a?(Module) && @openings.key?(value) ? @openings[value] : []
      places = [[home, declared]] unless places.include?([home, declared])
      places.each { |opened, at| add(path, line, name.to_s, opened, at) }
    end
  end

  # The constants that a file names, each looked up where it stands.
  class Constants
    def initialize(path, &found)
      @path = path
      @found = found
      @lines = File.binread(path).lines
    end

    def walk
      visit(RubyVM::AbstractSyntaxTree.parse_file(@path), [])
    end

    private

    def visit(node, nesting)
      return unless node.is_a?(RubyVM::AbstractSyntaxTree::Node)

      case node.type
      when :CLASS, :MODULE then visit_definition(node, nesting)
      when :CDECL then node.children.each { |child| visit(child.is_a?(Symbol) ? nil : child, nesting) }
      when :CONST, :COLON2, :COLON3
        node.children.each { |child| visit(child, nesting) }
        report(node, nesting)
      else node.children.each { |child| visit(child, nesting) }
      end
    end

    def visit_definition(node, nesting)
      named, *rest = node.children
      visit(named.children.first, nesting)
      opened = value_of(*owner_of_name(named, nesting))
      body = rest.pop
      rest.each { |base| visit(base, nesting) }
      visit(body, [opened, *nesting]) if opened.is_a?(Module)
    end

    # Return where a definition puts its name, and the name.
    def owner_of_name(named, nesting)
      return [Object, named.children.first] if named.type == :COLON3

      before, name = named.children
      [before ? value_of(*resolve(before, nesting)) : nesting.first || Object, name]
    end

    def report(node, nesting)
      owner, name = resolve(node, nesting)
      line = owner && line_of(node, name)
      @found.call(line, name, owner) if line
    end

    # Return the module that has the constant of an expression, and its name; nil if it has none.
    def resolve(node, nesting)
      case node.type
      when :CONST then [holder(node.children.first, nesting), node.children.first]
      when :COLON3 then [first_with(Object.ancestors, node.children.first), node.children.first]
      when :COLON2
        before, name = node.children
        owner = before.is_a?(RubyVM::AbstractSyntaxTree::Node) ? value_of(*resolve(before, nesting)) : nil
        owner.is_a?(Module) ? [first_with(owner.ancestors, name), name] : nil
      end
    end

    def holder(name, nesting)
      first_with(nesting, name) || first_with((nesting.first || Object).ancestors, name) ||
        first_with(Object.ancestors, name)
    end

    def first_with(modules, name)
      modules.find { |each| each.const_defined?(name, false) && !each.autoload?(name, false) }
    end

    def value_of(owner = nil, name = nil)
      owner.const_get(name, false) if owner.is_a?(Module) && owner.const_defined?(name, false)
    end

    def line_of(node, name)
      base = node.children.first
      first = base.is_a?(RubyVM::AbstractSyntaxTree::Node) ? base.last_lineno : node.first_lineno
      (first..node.last_lineno).find { |number| @lines[number - 1].to_s.match?(/\b#{name}\b/) }
    end
  end
end

RubyUses.start
