// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.cli;

import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * A tool that exists nowhere else: its options are annotated fields. Tools that have a model parse their options as the model does.
 */
public abstract class AnnotatedTool implements Tool {
    private final int misusedStatus;
    private final boolean takesCommand;

    @Option(names = {"-h", "--help"}, usageHelp = true, order = 1, description = "show this and stop")
    private boolean help;

    protected AnnotatedTool() {
        this(1, false);
    }

    /**
     * @param misusedStatus exit status after options that are wrong
     * @param takesCommand  the first argument that is no option begins a command with options of its own
     */
    protected AnnotatedTool(int misusedStatus, boolean takesCommand) {
        this.misusedStatus = misusedStatus;
        this.takesCommand = takesCommand;
    }

    @Override
    public final int run(String name, List<String> arguments, Console console) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(this).name("softrdma " + name);
        CommandLine commandLine = new CommandLine(spec).setStopAtPositional(takesCommand)
            .setColorScheme(CommandLine.Help.defaultColorScheme(CommandLine.Help.Ansi.OFF));
        try {
            commandLine.parseArgs(arguments.toArray(String[]::new));
            if (!help) {
                check();
            }
        } catch (ParameterException | Misused wrong) {
            console.error("softrdma " + name + ": " + wrong.getMessage());
            console.error(commandLine.getUsageMessage().stripTrailing());
            return misusedStatus;
        }
        if (help) {
            console.print(commandLine.getUsageMessage());
            return 0;
        }
        return execute(name, arguments, console);
    }

    /**
     * Checks the options, each of which is well-formed.
     *
     * @throws Misused they are not usable, or not together
     */
    protected void check() {
    }

    /** Does what {@link #run} promises, with options that are checked. */
    protected abstract int execute(String name, List<String> arguments, Console console);

    /** Options that cannot be used; the message says why. */
    protected static final class Misused extends RuntimeException {
        private static final long serialVersionUID = 1L;

        public Misused(String why) {
            super(why);
        }
    }
}
