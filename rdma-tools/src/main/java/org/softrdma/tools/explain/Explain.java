// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.explain;

import java.util.Arrays;
import java.util.List;
import org.softrdma.tools.cli.AnnotatedTool;
import org.softrdma.tools.cli.Console;
import org.softrdma.tools.cli.Spelling;
import org.softrdma.verbs.WcStatus;
import org.softrdma.verbs.reason.Reason;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code softrdma explain}: prints entries of the catalogue of reasons. */
@Command(name = "explain", sortOptions = false,
    description = "Explains why something failed, was dropped or sent again: the rule that was applied, usual causes and what to do.%n%n"
        + "WHAT is the number or the name of a reason, as recordings have it; the name or the number of a completion status; the name "
        + "of a counter; the status of a rejected connection; an errno; a verb with the errno of its refusal; a rule of strict "
        + "devices; a word; or a whole message. Without WHAT, all reasons are listed.")
public final class Explain extends AnnotatedTool {
    /** Maximum entries that are printed in full for one word. */
    private static final int MAX_PAGES = 3;

    @Parameters(paramLabel = "WHAT", arity = "0..*",
        description = "as in 0x0305, rkey-range, IBV_WC_REM_ACCESS_ERR, drop_bad_icrc, reject 8, EINVAL, reg_mr EINVAL, retry")
    private List<String> words = List.of();

    @Override
    protected int execute(String name, List<String> arguments, Console console) {
        if (words.isEmpty()) {
            list(Arrays.asList(Reason.values()), console);
            return 0;
        }
        String what = String.join(" ", words);
        Reason reason = Lookup.reason(what);
        if (reason != null) {
            console.print(EntryPage.of(reason));
            return 0;
        }
        WcStatus status = Lookup.status(what);
        if (status != null) {
            printStatus(status, console);
            return 0;
        }
        List<Term> terms = Terms.named(what);
        if (!terms.isEmpty()) {
            console.print(String.join("\n", terms.stream().map(EntryPage::of).toList()));
            return 0;
        }
        List<Reason> found = Lookup.search(what);
        if (found.isEmpty()) {
            List<String> similar = Spelling.nearest(what, Lookup.names());
            console.error("softrdma explain: nothing is known about '" + what + "'"
                + (similar.isEmpty() ? "" : "; did you mean '" + similar.getFirst() + "'?"));
            console.error("`softrdma explain` lists all reasons.");
            return 1;
        }
        if (found.size() > MAX_PAGES) {
            list(found, console);
        } else {
            console.print(String.join("\n", found.stream().map(EntryPage::of).toList()));
        }
        return 0;
    }

    private static void printStatus(WcStatus status, Console console) {
        console.println(status + " (" + status.value() + "): " + status.text());
        List<Reason> reasons = Arrays.stream(Reason.values()).filter(each -> each.status() == status).toList();
        if (reasons.isEmpty()) {
            console.println(status == WcStatus.SUCCESS ? "The work request was executed." : "No device of this project reports it.");
            return;
        }
        console.println("A completion has this status for one of these reasons:");
        list(reasons, console);
    }

    private static void list(List<Reason> reasons, Console console) {
        for (Reason each : reasons) {
            console.printf("0x%04x  %-38s %s\n", each.code(), each.shortName(), each.text().plain());
        }
        console.println("`softrdma explain NAME` prints an entry.");
    }
}
