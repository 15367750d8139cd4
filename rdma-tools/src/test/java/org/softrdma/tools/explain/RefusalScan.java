// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import com.sun.source.tree.AssignmentTree;
import com.sun.source.tree.BinaryTree;
import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.ConditionalExpressionTree;
import com.sun.source.tree.ExpressionTree;
import com.sun.source.tree.IdentifierTree;
import com.sun.source.tree.LambdaExpressionTree;
import com.sun.source.tree.LiteralTree;
import com.sun.source.tree.MemberSelectTree;
import com.sun.source.tree.MethodInvocationTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.NewClassTree;
import com.sun.source.tree.ParenthesizedTree;
import com.sun.source.tree.ReturnTree;
import com.sun.source.tree.SwitchExpressionTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.tree.YieldTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import javax.lang.model.element.Element;
import javax.lang.model.element.ElementKind;
import javax.lang.model.element.ExecutableElement;
import javax.lang.model.element.TypeElement;
import javax.tools.Diagnostic;
import javax.tools.DiagnosticCollector;
import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;

/**
 * Finds the pairs of verb and errno with which sources refuse verbs. Each place that makes a {@code VerbsException} has two expressions;
 * where one is a parameter, a field or the result of a method, its values are those of all callers, assignments or results in the sources.
 */
final class RefusalScan {
    private static final String EXCEPTION = "org.softrdma.verbs.VerbsException";

    private final JavacTask task;
    private final Trees trees;
    private final Map<Element, List<Use>> callers = new HashMap<>();
    private final Map<Element, List<Use>> values = new HashMap<>();
    private final List<Use> places = new ArrayList<>();
    private final SortedMap<String, SortedSet<String>> found = new TreeMap<>();
    private final SortedSet<String> unresolved = new TreeSet<>();
    private final Map<ExecutableElement, List<Use>> calls = new HashMap<>();
    private final Set<List<Object>> visited = new HashSet<>();

    /** An expression and where it stands. For a call, the expression is the call itself. */
    private record Use(TreePath path, ExpressionTree expression) {
    }

    private RefusalScan(JavacTask task) {
        this.task = task;
        trees = Trees.instance(task);
    }

    /**
     * Scans all sources below some folders.
     *
     * @param folders of sources, whose dependencies are on this process's class path
     */
    static RefusalScan of(List<Path> folders) throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        DiagnosticCollector<JavaFileObject> diagnostics = new DiagnosticCollector<>();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(diagnostics, null, null)) {
            List<Path> sources = new ArrayList<>();
            for (Path folder : folders) {
                try (Stream<Path> all = Files.walk(folder)) {
                    all.filter(each -> each.toString().endsWith(".java") && !each.endsWith("module-info.java")).forEach(sources::add);
                }
            }
            Iterable<? extends JavaFileObject> units = files.getJavaFileObjectsFromPaths(sources);
            JavacTask task = (JavacTask) compiler.getTask(null, files, diagnostics,
                List.of("-proc:none", "-implicit:none", "-classpath", System.getProperty("java.class.path")), null, units);
            RefusalScan scan = new RefusalScan(task);
            List<CompilationUnitTree> parsed = new ArrayList<>();
            task.parse().forEach(parsed::add);
            task.analyze();
            List<String> errors = diagnostics.getDiagnostics().stream().filter(each -> each.getKind() == Diagnostic.Kind.ERROR)
                .map(Object::toString).toList();
            if (!errors.isEmpty()) {
                throw new IllegalStateException("the sources do not compile: " + errors);
            }
            parsed.forEach(unit -> scan.new Collector().scan(unit, null));
            scan.places.forEach(place -> {
                List<? extends ExpressionTree> arguments = ((NewClassTree) place.expression).getArguments();
                scan.resolve(place, new Use(place.path, arguments.get(0)), new Use(place.path, arguments.get(1)));
            });
            return scan;
        }
    }

    /** Each pair, as {@code reg_mr EINVAL}, with the places that refuse so, as {@code MemoryTable.java:298}. */
    SortedMap<String, SortedSet<String>> pairs() {
        return found;
    }

    /** Files and expressions of places whose verb or errno is decided elsewhere: by the system, an event, or callers in other modules. */
    SortedSet<String> unresolved() {
        return unresolved;
    }

    private final class Collector extends TreePathScanner<Void, Void> {
        @Override
        public Void visitNewClass(NewClassTree node, Void unused) {
            Element constructor = trees.getElement(getCurrentPath());
            if (constructor != null) {
                callers.computeIfAbsent(constructor, key -> new ArrayList<>()).add(new Use(getCurrentPath(), node));
                if (((TypeElement) constructor.getEnclosingElement()).getQualifiedName().contentEquals(EXCEPTION)) {
                    places.add(new Use(getCurrentPath(), node));
                }
            }
            return super.visitNewClass(node, unused);
        }

        @Override
        public Void visitMethodInvocation(MethodInvocationTree node, Void unused) {
            Element method = trees.getElement(getCurrentPath());
            if (method != null) {
                callers.computeIfAbsent(method, key -> new ArrayList<>()).add(new Use(getCurrentPath(), node));
            }
            return super.visitMethodInvocation(node, unused);
        }

        @Override
        public Void visitAssignment(AssignmentTree node, Void unused) {
            Element variable = trees.getElement(new TreePath(getCurrentPath(), node.getVariable()));
            if (variable != null) {
                values.computeIfAbsent(variable, key -> new ArrayList<>()).add(new Use(getCurrentPath(), node.getExpression()));
            }
            return super.visitAssignment(node, unused);
        }

        @Override
        public Void visitVariable(VariableTree node, Void unused) {
            Element variable = trees.getElement(getCurrentPath());
            if (variable != null && node.getInitializer() != null) {
                values.computeIfAbsent(variable, key -> new ArrayList<>()).add(new Use(getCurrentPath(), node.getInitializer()));
            }
            return super.visitVariable(node, unused);
        }
    }

    /** Follows errno and verb to their values, both through the same callers. */
    private void resolve(Use place, Use errno, Use verb) {
        List<Step> errnos = steps(errno);
        List<Step> verbs = steps(verb);
        for (Step e : errnos) {
            for (Step v : verbs) {
                if (e.value != null && v.value != null) {
                    found.computeIfAbsent(bare(v.value) + " " + e.value, key -> new TreeSet<>()).add(position(place));
                } else if (e.parameter != null || v.parameter != null) {
                    Element method = e.parameter != null ? e.parameter.getEnclosingElement() : v.parameter.getEnclosingElement();
                    substitute(place, e, v, (ExecutableElement) method);
                } else {
                    unresolved.add(file(place) + " " + e + " " + v);
                }
            }
        }
    }

    private void substitute(Use place, Step errno, Step verb, ExecutableElement method) {
        if (!visited.add(List.of(place, errno, verb, method))) {
            return;
        }
        List<Use> all = calls.computeIfAbsent(method, this::callsOf);
        if (all.isEmpty()) {
            unresolved.add(file(place) + " " + errno + " " + verb);
        }
        for (Use call : all) {
            resolve(place, argument(errno, method, call), argument(verb, method, call));
        }
    }

    private List<Use> callsOf(ExecutableElement method) {
        List<Use> all = new ArrayList<>();
        callers.forEach((called, uses) -> {
            if (called.equals(method) || called instanceof ExecutableElement other && called.getKind() == ElementKind.METHOD
                && method.getSimpleName().contentEquals(other.getSimpleName())
                && (task.getElements().overrides(method, other, (TypeElement) method.getEnclosingElement()))) {
                all.addAll(uses);
            }
        });
        return all;
    }

    /** One result of an expression: a value; or a parameter, perhaps behind a prefix; or neither, and then the expression itself. */
    private record Step(String value, Element parameter, String prefix, Use origin) {
        static Step value(String value) {
            return new Step(value, null, "", null);
        }

        static Step parameter(Element parameter) {
            return new Step(null, parameter, "", null);
        }

        Step after(String text) {
            return value != null ? value(text + value) : new Step(null, parameter, text + prefix, origin);
        }

        @Override
        public String toString() {
            return value != null ? value : parameter != null ? "parameter " + parameter : "?" + (origin == null ? "" : origin.expression);
        }
    }

    private Use argument(Step step, ExecutableElement method, Use call) {
        if (step.value != null) {
            return new Use(null, new Fixed(step.value));
        }
        if (step.parameter == null || !step.parameter.getEnclosingElement().equals(method)) {
            return step.parameter == null ? step.origin : new Use(null, new Fixed(step));
        }
        int index = method.getParameters().indexOf(step.parameter);
        List<? extends ExpressionTree> arguments = call.expression instanceof NewClassTree made ? made.getArguments()
            : ((MethodInvocationTree) call.expression).getArguments();
        ExpressionTree argument = arguments.get(index);
        return step.prefix.isEmpty() ? new Use(call.path, argument) : new Use(call.path, new Fixed(step.prefix, argument));
    }

    /** An expression that was resolved already, or one behind a prefix. */
    private record Fixed(Step step, String prefix, ExpressionTree rest) implements ExpressionTree {
        Fixed(String value) {
            this(Step.value(value), "", null);
        }

        Fixed(Step step) {
            this(step, "", null);
        }

        Fixed(String prefix, ExpressionTree rest) {
            this(null, prefix, rest);
        }

        @Override
        public Kind getKind() {
            return Kind.OTHER;
        }

        @Override
        public <R, D> R accept(com.sun.source.tree.TreeVisitor<R, D> visitor, D data) {
            return visitor.visitOther(this, data);
        }
    }

    private List<Step> steps(Use use) {
        List<Step> steps = new ArrayList<>();
        steps(use, steps, new HashSet<>());
        return steps;
    }

    private void steps(Use use, List<Step> into, Set<Tree> seen) {
        ExpressionTree expression = use.expression;
        if (!seen.add(expression)) {
            return;
        }
        switch (expression) {
            case Fixed fixed when fixed.step != null -> into.add(fixed.step);
            case Fixed fixed -> {
                List<Step> rest = new ArrayList<>();
                steps(new Use(use.path, fixed.rest), rest, seen);
                rest.forEach(each -> into.add(each.after(fixed.prefix)));
            }
            case LiteralTree literal -> {
                if (literal.getValue() != null) {
                    into.add(Step.value(literal.getValue().toString()));
                }
            }
            case ParenthesizedTree inner -> steps(new Use(use.path, inner.getExpression()), into, seen);
            case ConditionalExpressionTree choice -> {
                steps(new Use(use.path, choice.getTrueExpression()), into, seen);
                steps(new Use(use.path, choice.getFalseExpression()), into, seen);
            }
            case SwitchExpressionTree choice -> results(choice, false).forEach(each -> steps(new Use(use.path, each), into, seen));
            case BinaryTree sum -> {
                List<Step> left = new ArrayList<>();
                steps(new Use(use.path, sum.getLeftOperand()), left, seen);
                List<Step> right = new ArrayList<>();
                steps(new Use(use.path, sum.getRightOperand()), right, seen);
                for (Step first : left) {
                    right.forEach(second -> into.add(first.value == null ? new Step(null, null, "", use) : second.after(first.value)));
                }
            }
            case IdentifierTree name -> element(trees.getElement(pathOf(use)), use, into, seen);
            case MemberSelectTree name -> element(trees.getElement(pathOf(use)), use, into, seen);
            case MethodInvocationTree call -> called(trees.getElement(pathOf(use)), use, into, seen);
            default -> into.add(new Step(null, null, "", use));
        }
    }

    private void element(Element element, Use use, List<Step> into, Set<Tree> seen) {
        if (element == null) {
            into.add(new Step(null, null, "", use));
        } else if (element.getKind() == ElementKind.ENUM_CONSTANT) {
            into.add(Step.value(element.getSimpleName().toString()));
        } else if (element.getKind() == ElementKind.PARAMETER && element.getEnclosingElement() instanceof ExecutableElement
            && !isLambdaParameter(element)) {
            into.add(Step.parameter(element));
        } else if (values.containsKey(element)) {
            values.get(element).forEach(each -> steps(each, into, seen));
        } else if (element.getKind() == ElementKind.FIELD && element.getEnclosingElement().getKind() == ElementKind.RECORD) {
            component((TypeElement) element.getEnclosingElement(), element.getSimpleName().toString(), into, use);
        } else {
            into.add(new Step(null, null, "", use));
        }
    }

    private boolean isLambdaParameter(Element parameter) {
        return !((ExecutableElement) parameter.getEnclosingElement()).getParameters().contains(parameter);
    }

    private void component(TypeElement type, String name, List<Step> into, Use use) {
        type.getEnclosedElements().stream().filter(each -> each.getKind() == ElementKind.CONSTRUCTOR).map(ExecutableElement.class::cast)
            .flatMap(each -> each.getParameters().stream()).filter(each -> each.getSimpleName().contentEquals(name)).findFirst()
            .ifPresentOrElse(each -> into.add(Step.parameter(each)), () -> into.add(new Step(null, null, "", use)));
    }

    private void called(Element method, Use use, List<Step> into, Set<Tree> seen) {
        if (method == null || method.getKind() != ElementKind.METHOD) {
            into.add(new Step(null, null, "", use));
            return;
        }
        if (((TypeElement) method.getEnclosingElement()).getQualifiedName().contentEquals(EXCEPTION)) {
            into.add(new Step(null, null, "", use));
            return;
        }
        Tree tree = trees.getTree(method);
        if (tree instanceof MethodTree body && body.getBody() != null) {
            TreePath path = trees.getPath(method);
            List<ExpressionTree> results = results(body.getBody(), true);
            results.forEach(each -> steps(new Use(path, each), into, seen));
        } else if (method.getEnclosingElement().getKind() == ElementKind.RECORD) {
            component((TypeElement) method.getEnclosingElement(), method.getSimpleName().toString(), into, use);
        } else {
            into.add(new Step(null, null, "", use));
        }
    }

    private static List<ExpressionTree> results(Tree of, boolean returns) {
        List<ExpressionTree> results = new ArrayList<>();
        of.accept(new TreeScanner<Void, Void>() {
            @Override
            public Void visitReturn(ReturnTree node, Void unused) {
                if (returns && node.getExpression() != null) {
                    results.add(node.getExpression());
                }
                return super.visitReturn(node, unused);
            }

            @Override
            public Void visitYield(YieldTree node, Void unused) {
                if (!returns) {
                    results.add(node.getValue());
                }
                return super.visitYield(node, unused);
            }

            @Override
            public Void visitLambdaExpression(LambdaExpressionTree node, Void unused) {
                return null;
            }

            @Override
            public Void visitClass(ClassTree node, Void unused) {
                return null;
            }
        }, null);
        return results;
    }

    private TreePath pathOf(Use use) {
        return TreePath.getPath(use.path, use.expression) == null
            ? new TreePath(use.path, use.expression) : TreePath.getPath(use.path, use.expression);
    }

    private static String file(Use use) {
        return Path.of(use.path.getCompilationUnit().getSourceFile().toUri()).getFileName().toString();
    }

    private String position(Use use) {
        CompilationUnitTree unit = use.path.getCompilationUnit();
        long start = trees.getSourcePositions().getStartPosition(unit, use.expression);
        return file(use) + ":" + unit.getLineMap().getLineNumber(start);
    }

    private static String bare(String verb) {
        return verb.replaceFirst("^(ibv|rdma)_", "");
    }
}
