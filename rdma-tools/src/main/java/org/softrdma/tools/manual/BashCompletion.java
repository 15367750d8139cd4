// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.manual;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** Script for bash (and zsh with bashcompinit): completes tools after {@code softrdma}, options, and device names after {@code -d}. */
final class BashCompletion {
    private BashCompletion() {
    }

    static String script(List<Page> pages) {
        StringBuilder text = new StringBuilder("""
            # bash completion for softrdma and its tools, made by `softrdma manual --bash`

            _softrdma_words() {
                case $1 in
            """);
        for (Page page : pages) {
            Set<String> words = new TreeSet<>(page.options());
            words.addAll(page.words());
            text.append("        ").append(page.name()).append(") echo '").append(String.join(" ", words)).append("' ;;\n");
        }
        text.append("""
                esac
            }

            _softrdma() {
                local tool=${COMP_WORDS[0]##*/} current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} words
                if [ "$tool" = softrdma ] && [ "$COMP_CWORD" -gt 1 ]; then
                    tool=${COMP_WORDS[1]}
                fi
                if [ "$tool" = softrdma ]; then
                    words='TOOLS --help --version'
                elif [ "$previous" = -d ] || [ "$previous" = --ib-dev ]; then
                    words=$("${COMP_WORDS[0]%/*}/ibv_devinfo" -l 2> /dev/null || ibv_devinfo -l 2> /dev/null)
                    words=$(echo "$words" | sed -n 's/^\\t//p')
                else
                    words=$(_softrdma_words "$tool")
                fi
                # shellcheck disable=SC2207
                COMPREPLY=($(compgen -W "$words" -- "$current"))
                [ ${#COMPREPLY[@]} -gt 0 ] || COMPREPLY=($(compgen -f -- "$current"))
            }

            complete -F _softrdma softrdma ./softrdma COMMANDS
            """.replace("TOOLS", pages.stream().map(Page::name).collect(Collectors.joining(" ")))
            .replace("COMMANDS", pages.stream().filter(page -> !page.ours()).map(Page::name).collect(Collectors.joining(" "))));
        return text.toString();
    }
}
