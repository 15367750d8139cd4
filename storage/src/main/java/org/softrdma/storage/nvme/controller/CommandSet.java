// SPDX-License-Identifier: Apache-2.0
package org.softrdma.storage.nvme.controller;

/** Commands of one kind, each in two steps. */
interface CommandSet {
    /** Checks a command and says which data it has: {@link CommandSlot#takes}, {@link CommandSlot#gives}, or {@link CommandSlot#fail}. */
    void prepare(CommandSlot command);

    /** Executes a command that was prepared, with its data where {@link CommandSlot#data} is, or with that buffer to fill. */
    void execute(CommandSlot command);
}
