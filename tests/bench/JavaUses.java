import com.sun.source.tree.*;
import com.sun.source.util.*;
import com.sun.tools.javac.tree.JCTree;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.*;
import java.util.*;
import javax.lang.model.element.*;
import javax.tools.*;

/**
 * Prints every use of a declaration of some Java files, as javac resolves it: file, line, column, name, and the
 * file, line and column of the declaration, separated by tabs. Lines count from 1, columns from 0.
 *
 * <p>java --add-exports jdk.compiler/com.sun.tools.javac.tree=ALL-UNNAMED JavaUses.java FILE_WITH_PATHS
 */
public class JavaUses extends TreePathScanner<Void, Void> {
    private static final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    private final Trees trees;
    private final CompilationUnitTree unit;
    private final String text;

    JavaUses(Trees trees, CompilationUnitTree unit) throws IOException {
        this.trees = trees;
        this.unit = unit;
        this.text = unit.getSourceFile().getCharContent(true).toString();
    }

    public static void main(String[] arguments) throws Exception {
        List<String> paths = Files.readAllLines(Path.of(arguments[0]));
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        StandardJavaFileManager files = compiler.getStandardFileManager(null, null, StandardCharsets.UTF_8);
        List<String> options =
                List.of("-proc:none", "-XDshould-stop.ifError=FLOW", "-XDshould-stop.ifNoError=FLOW", "-nowarn");
        JavacTask task = (JavacTask)
                compiler.getTask(null, files, problem -> {}, options, null, files.getJavaFileObjectsFromStrings(paths));
        Iterable<? extends CompilationUnitTree> units = task.parse();
        task.analyze();
        for (CompilationUnitTree unit : units) {
            new JavaUses(Trees.instance(task), unit).scan(unit, null);
        }
        out.flush();
    }

    @Override
    public Void visitIdentifier(IdentifierTree tree, Void nothing) {
        print(getCurrentPath(), tree.getName(), start(tree));
        return super.visitIdentifier(tree, nothing);
    }

    @Override
    public Void visitMemberSelect(MemberSelectTree tree, Void nothing) {
        print(getCurrentPath(), tree.getIdentifier(), end(tree) - tree.getIdentifier().length());
        return super.visitMemberSelect(tree, nothing);
    }

    @Override
    public Void visitMemberReference(MemberReferenceTree tree, Void nothing) {
        print(getCurrentPath(), tree.getName(), end(tree) - tree.getName().length());
        return super.visitMemberReference(tree, nothing);
    }

    @Override
    public Void visitNewClass(NewClassTree tree, Void nothing) {
        Element element = trees.getElement(getCurrentPath());
        if (element != null && tree.getClassBody() == null) {
            print(getCurrentPath(), element.getEnclosingElement().getSimpleName(), start(tree.getIdentifier()));
        }
        return super.visitNewClass(tree, nothing);
    }

    private long start(Tree tree) {
        return trees.getSourcePositions().getStartPosition(unit, tree);
    }

    private long end(Tree tree) {
        return trees.getSourcePositions().getEndPosition(unit, tree);
    }

    private void print(TreePath path, Name name, long position) {
        Element element = trees.getElement(path);
        TreePath declared = element == null ? null : trees.getPath(element);
        if (declared == null || position < 0 || !text.startsWith(name.toString(), (int) position)) {
            // The constants of an enum are calls of a constructor that nobody wrote.
            return;
        }
        CompilationUnitTree home = declared.getCompilationUnit();
        long start = namePosition(home, ((JCTree) declared.getLeaf()).pos, element);
        LineMap lines = unit.getLineMap();
        out.printf(
                "%s\t%d\t%d\t%s\t%s\t%d\t%d%n",
                unit.getSourceFile().getName(),
                lines.getLineNumber(position),
                lines.getColumnNumber(position) - 1,
                name,
                home.getSourceFile().getName(),
                home.getLineMap().getLineNumber(start),
                home.getLineMap().getColumnNumber(start) - 1);
    }

    private static long namePosition(CompilationUnitTree home, int position, Element element) {
        boolean isConstructor = element.getKind() == ElementKind.CONSTRUCTOR;
        Name name = (isConstructor ? element.getEnclosingElement() : element).getSimpleName();
        try {
            return home.getSourceFile().getCharContent(true).toString().indexOf(name.toString(), position);
        } catch (IOException error) {
            throw new UncheckedIOException(error);
        }
    }
}
