import java.io.File;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.*;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jetbrains.kotlin.cli.common.CLIConfigurationKeys;
import org.jetbrains.kotlin.cli.common.config.ContentRootsKt;
import org.jetbrains.kotlin.cli.common.messages.MessageCollector;
import org.jetbrains.kotlin.cli.jvm.compiler.*;
import org.jetbrains.kotlin.cli.jvm.config.JvmContentRootsKt;
import org.jetbrains.kotlin.com.intellij.openapi.util.Disposer;
import org.jetbrains.kotlin.com.intellij.psi.*;
import org.jetbrains.kotlin.config.*;
import org.jetbrains.kotlin.descriptors.*;
import org.jetbrains.kotlin.descriptors.impl.TypeAliasConstructorDescriptor;
import org.jetbrains.kotlin.lexer.KtTokens;
import org.jetbrains.kotlin.name.FqName;
import org.jetbrains.kotlin.psi.*;
import org.jetbrains.kotlin.resolve.*;
import org.jetbrains.kotlin.resolve.calls.model.ResolvedCall;
import org.jetbrains.kotlin.resolve.calls.util.FakeCallableDescriptorForObject;
import org.jetbrains.kotlin.synthetic.SyntheticJavaPropertyDescriptor;
import org.jetbrains.kotlin.util.slicedMap.ReadOnlySlice;

/**
 * Prints every use of a declaration in the Kotlin files of a directory, as the compiler of Kotlin 1.9 resolves it:
 * file, line, column, name, and the file, line and column of the declaration, separated by tabs. Lines count from 1,
 * columns from 0. All files are one module for the JVM: of source sets, those of other platforms are left out. Java
 * sources beside them are seen, but not searched for uses; what comes from a library that is not given is unknown.
 *
 * <p>The compiler is in the wheel of kotlin-jupyter-kernel 0.12, in the directory JARS, run_kotlin_kernel/jars:
 *
 * <pre>
 *     javac -proc:none -cp JARS/kotlin-jupyter-kernel-0.12.0-322-all.jar -d classes tests/bench/KotlinUses.java
 *     java -Xmx3g -cp JARS/kotlin-jupyter-kernel-0.12.0-322-all.jar:classes KotlinUses DIRECTORY LIBRARY.jar… >uses.tsv
 * </pre>
 *
 * <p>Each LIBRARY is given as a file; JARS/kotlin-stdlib-1.9.23.jar is the first of them. What operators, loops,
 * destructuring and delegates call is a use as well, and stands in a line without its name.
 */
public class KotlinUses extends KtTreeVisitorVoid {
    private static final PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
    private static final Pattern OTHER_PLATFORM = Pattern.compile(
            ".*/(?!common|jvm|main|test)\\w+(Main|Test)/.*|.*/(build|js|native|wasm|\\.\\w+)/.*");
    private final BindingContext context;
    private final Map<FqName, Integer> declared;
    private final Map<PsiFile, String> texts = new HashMap<>();
    private final Map<PsiFile, NavigableMap<Integer, Integer>> starts = new HashMap<>();

    KotlinUses(BindingContext context, Map<FqName, Integer> declared) {
        this.context = context;
        this.declared = declared;
    }

    public static void main(String[] arguments) throws Exception {
        List<String> files;
        try (Stream<Path> found = Files.walk(Path.of(arguments[0]))) {
            files = found.filter(Files::isRegularFile).map(Path::toString)
                    .filter(each -> !OTHER_PLATFORM.matcher(each.substring(arguments[0].length())).matches())
                    .sorted().collect(Collectors.toList());
        }
        CompilerConfiguration settings = new CompilerConfiguration();
        settings.put(CommonConfigurationKeys.MODULE_NAME, "checked");
        settings.put(CLIConfigurationKeys.MESSAGE_COLLECTOR_KEY, MessageCollector.Companion.getNONE());
        settings.put(JVMConfigurationKeys.JDK_HOME, new File(System.getProperty("java.home")));
        settings.put(CommonConfigurationKeys.LANGUAGE_VERSION_SETTINGS, new LanguageVersionSettingsImpl(
                LanguageVersion.KOTLIN_1_9, ApiVersion.KOTLIN_1_9, Map.of(), Map.of(
                        LanguageFeature.MultiPlatformProjects, LanguageFeature.State.ENABLED,
                        LanguageFeature.ContextReceivers, LanguageFeature.State.ENABLED)));
        for (String library : Arrays.asList(arguments).subList(1, arguments.length))
            JvmContentRootsKt.addJvmClasspathRoot(settings, new File(library));
        for (String file : files) {
            if (file.endsWith(".kt"))
                ContentRootsKt.addKotlinSourceRoot(settings, file, file.contains("/common"), null);
            if (file.endsWith(".java"))
                JvmContentRootsKt.addJavaSourceRoot(settings, new File(file), null);
        }
        KotlinCoreEnvironment environment = KotlinCoreEnvironment.createForProduction(
                Disposer.newDisposable("uses"), settings, EnvironmentConfigFiles.JVM_CONFIG_FILES);
        BindingContext context = TopDownAnalyzerFacadeForJVM.analyzeFilesWithJavaIntegration(
                environment.getProject(), environment.getSourceFiles(), new NoScopeRecordCliBindingTrace(),
                settings, environment::createPackagePartProvider).getBindingContext();
        Map<FqName, Integer> declared = new HashMap<>();
        for (KtFile file : environment.getSourceFiles())
            for (KtDeclaration each : file.getDeclarations())
                if (each instanceof KtClassLikeDeclaration && !each.hasModifier(KtTokens.EXPECT_KEYWORD))
                    declared.merge(((KtClassLikeDeclaration) each).getFqName(), 1, Integer::sum);
        KotlinUses uses = new KotlinUses(context, declared);
        for (KtFile file : environment.getSourceFiles())
            file.accept(uses);
        out.flush();
        System.exit(0);
    }

    @Override
    public void visitReferenceExpression(KtReferenceExpression used) {
        super.visitReferenceExpression(used);
        DeclarationDescriptor meant = context.get(BindingContext.REFERENCE_TARGET, used);
        print(used, meant);
        Collection<? extends DeclarationDescriptor> several =
                context.get(BindingContext.AMBIGUOUS_REFERENCE_TARGET, used);
        // An import means all functions of its name; a call that is ambiguous is an error.
        if (several != null && meant == null && isImported(used))
            several.forEach(each -> print(used, each));
    }

    @Override
    public void visitArrayAccessExpression(KtArrayAccessExpression used) {
        super.visitArrayAccessExpression(used);
        printCall(used, BindingContext.INDEXED_LVALUE_GET, used);
        printCall(used, BindingContext.INDEXED_LVALUE_SET, used);
    }

    @Override
    public void visitDestructuringDeclarationEntry(KtDestructuringDeclarationEntry entry) {
        super.visitDestructuringDeclarationEntry(entry);
        printCall(entry, BindingContext.COMPONENT_RESOLVED_CALL, entry);
    }

    @Override
    public void visitForExpression(KtForExpression loop) {
        super.visitForExpression(loop);
        KtExpression range = loop.getLoopRange();
        if (range != null) {
            printCall(range, BindingContext.LOOP_RANGE_ITERATOR_RESOLVED_CALL, range);
            printCall(range, BindingContext.LOOP_RANGE_HAS_NEXT_RESOLVED_CALL, range);
            printCall(range, BindingContext.LOOP_RANGE_NEXT_RESOLVED_CALL, range);
        }
    }

    @Override
    public void visitProperty(KtProperty property) {
        super.visitProperty(property);
        KtPropertyDelegate delegate = property.getDelegate();
        DeclarationDescriptor declared = context.get(BindingContext.DECLARATION_TO_DESCRIPTOR, property);
        if (delegate == null || !(declared instanceof VariableDescriptorWithAccessors))
            return;
        VariableDescriptorWithAccessors variable = (VariableDescriptorWithAccessors) declared;
        printCall(delegate, BindingContext.PROVIDE_DELEGATE_RESOLVED_CALL, variable);
        for (VariableAccessorDescriptor each : Arrays.asList(variable.getGetter(), variable.getSetter()))
            if (each != null)
                printCall(delegate, BindingContext.DELEGATED_PROPERTY_RESOLVED_CALL, each);
    }

    private static boolean isImported(KtElement used) {
        for (PsiElement each = used; each != null; each = each.getParent())
            if (each instanceof KtImportDirective)
                return true;
        return false;
    }

    private <K, D extends CallableDescriptor> void printCall(
            PsiElement used, ReadOnlySlice<K, ResolvedCall<D>> slice, K key) {
        ResolvedCall<D> call = context.get(slice, key);
        if (call != null)
            print(used, call.getResultingDescriptor());
    }

    private void print(PsiElement used, DeclarationDescriptor meant) {
        boolean isKeyword = used instanceof KtConstructorDelegationReferenceExpression
                || used instanceof KtEnumEntrySuperclassReferenceExpression
                || used.getParent() instanceof KtInstanceExpressionWithLabel;
        if (meant == null || isKeyword)
            return;
        DeclarationDescriptor named = unfold(meant);
        for (DeclarationDescriptor each : DescriptorToSourceUtils.getEffectiveReferencedDescriptors(named)) {
            if (isMade(each) || isOfSeveral(each))
                continue;
            PsiElement declared = DescriptorToSourceUtils.getSourceFromDescriptor(each);
            PsiElement name = declared == null ? null : getName(declared);
            if (name != null)
                out.println(place(used) + "\t" + name.getText().replace("`", "") + "\t" + place(name));
        }
    }

    /** Returns what a descriptor made by the compiler stands for: a constructor its class, a property its getter. */
    private static DeclarationDescriptor unfold(DeclarationDescriptor meant) {
        if (meant instanceof TypeAliasConstructorDescriptor)
            return ((TypeAliasConstructorDescriptor) meant).getTypeAliasDescriptor();
        if (meant instanceof ConstructorDescriptor)
            return ((ConstructorDescriptor) meant).getConstructedClass();
        if (meant instanceof FakeCallableDescriptorForObject)
            return ((FakeCallableDescriptorForObject) meant).getClassDescriptor();
        if (meant instanceof SyntheticJavaPropertyDescriptor)
            return ((SyntheticJavaPropertyDescriptor) meant).getGetMethod();
        if (meant instanceof PropertyAccessorDescriptor)
            return ((PropertyAccessorDescriptor) meant).getCorrespondingProperty();
        return meant;
    }

    /** Returns whether the compiler adds a member that no text declares: `copy` of a data class, `values` of an enum. */
    private static boolean isMade(DeclarationDescriptor meant) {
        return meant instanceof CallableMemberDescriptor && !DataClassResolver.INSTANCE.isComponentLike(meant.getName())
                && ((CallableMemberDescriptor) meant).getKind() == CallableMemberDescriptor.Kind.SYNTHESIZED;
    }

    /** Returns whether a declaration is in a class that several programs of the directory declare. */
    private boolean isOfSeveral(DeclarationDescriptor meant) {
        for (DeclarationDescriptor each = meant; each != null; each = each.getContainingDeclaration())
            if (each instanceof ClassifierDescriptor && declared.getOrDefault(DescriptorUtils.getFqNameSafe(each), 0) > 1)
                return true;
        return false;
    }

    private static PsiElement getName(PsiElement declared) {
        if (declared instanceof PsiNameIdentifierOwner)
            return ((PsiNameIdentifierOwner) declared).getNameIdentifier();
        return null;
    }

    private String place(PsiElement element) {
        PsiFile file = element.getContainingFile();
        String text = texts.computeIfAbsent(file, PsiFile::getText);
        NavigableMap<Integer, Integer> lines = starts.computeIfAbsent(file, each -> listLines(text));
        int at = element.getTextRange().getStartOffset();
        Map.Entry<Integer, Integer> line = lines.floorEntry(at);
        int column = text.codePointCount(line.getKey(), at);
        return file.getVirtualFile().getPath() + "\t" + line.getValue() + "\t" + column;
    }

    /** Returns where each line begins → its number. */
    private static NavigableMap<Integer, Integer> listLines(String text) {
        NavigableMap<Integer, Integer> found = new TreeMap<>(Map.of(0, 1));
        for (int at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1))
            found.put(at + 1, found.size() + 1);
        return found;
    }
}
