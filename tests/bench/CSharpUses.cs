using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Text;
using Microsoft.CodeAnalysis;
using Microsoft.CodeAnalysis.CSharp;
using Microsoft.CodeAnalysis.CSharp.Syntax;

/// <summary>
/// Prints every use of a declaration of the C# files of a directory, as Roslyn resolves it: file, line, column, name,
/// and the file, line and column of the declaration, separated by tabs. Lines count from 1, columns from 0. All files
/// are one program that sees the standard library; types of other libraries are unknown to it.
///
///     dotnet sdk/…/Roslyn/bincore/csc.dll -langversion:8 -out:CSharpUses.dll \
///         -r:Microsoft.CodeAnalysis.dll -r:Microsoft.CodeAnalysis.CSharp.dll -r:(each of REFERENCES) CSharpUses.cs
///     dotnet CSharpUses.dll DIRECTORY REFERENCES [SYMBOL_OF_THE_PREPROCESSOR…] &gt;uses.tsv
///
/// REFERENCES is `packs/Microsoft.NETCore.App.Ref/…/ref/…` of the SDK. The two libraries of Roslyn have to be beside
/// the program, with a copy of `csc.runtimeconfig.json` called `CSharpUses.runtimeconfig.json`.
/// </summary>
public static class CSharpUses
{
    public static void Main(string[] arguments)
    {
        var options = new CSharpParseOptions(LanguageVersion.Preview, preprocessorSymbols: arguments.Skip(2));
        var files = Directory.GetFiles(arguments[0], "*.cs", SearchOption.AllDirectories).OrderBy(each => each);
        var trees = files.Select(file => CSharpSyntaxTree.ParseText(File.ReadAllText(file), options, file)).ToList();
        var libraries = Directory.GetFiles(arguments[1], "*.dll").Select(each => MetadataReference.CreateFromFile(each));
        var settings = new CSharpCompilationOptions(OutputKind.DynamicallyLinkedLibrary, allowUnsafe: true);
        var program = CSharpCompilation.Create("checked", trees, libraries, settings);
        using var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false));
        foreach (var tree in trees)
        {
            var model = program.GetSemanticModel(tree);
            foreach (var name in tree.GetRoot().DescendantNodes().OfType<SimpleNameSyntax>())
            {
                if (name.IsVar)
                    continue;
                var symbol = model.GetSymbolInfo(name).Symbol;
                foreach (var meant in Unfold(symbol, name))
                    Print(output, name.Identifier, meant);
            }
        }
    }

    /// <summary>Returns what a name means: an alias is its target, a generic symbol its declaration.</summary>
    private static IEnumerable<ISymbol> Unfold(ISymbol symbol, SimpleNameSyntax name)
    {
        if (symbol is IAliasSymbol alias)
            symbol = alias.Target;
        if (symbol is IMethodSymbol method && method.ReducedFrom != null)
            symbol = method.ReducedFrom;
        if (symbol != null)
            yield return symbol.OriginalDefinition;
        // An attribute's name is its constructor; "new C()" is told of the class by its name.
        if (symbol is IMethodSymbol made && made.MethodKind == MethodKind.Constructor)
            yield return made.ContainingType.OriginalDefinition;
    }

    private static void Print(TextWriter output, SyntaxToken used, ISymbol meant)
    {
        foreach (var declared in meant.Locations.Where(each => each.IsInSource))
        {
            var from = used.GetLocation().GetLineSpan();
            var to = declared.GetLineSpan();
            var row = new object[]
            {
                from.Path, from.StartLinePosition.Line + 1, from.StartLinePosition.Character,
                meant.Kind == SymbolKind.Method && meant.Name == ".ctor" ? meant.ContainingType.Name : meant.Name,
                to.Path, to.StartLinePosition.Line + 1, to.StartLinePosition.Character,
            };
            output.Write(string.Join("\t", row) + "\n");
        }
    }
}
