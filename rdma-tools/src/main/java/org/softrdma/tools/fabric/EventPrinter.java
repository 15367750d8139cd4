// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.fabric;

import java.util.Locale;
import org.softrdma.fabric.model.Cable;
import org.softrdma.fabric.model.FabricCounter;
import org.softrdma.fabric.model.FabricObserver;
import org.softrdma.fabric.model.FabricPort;
import org.softrdma.tools.cli.Console;

/** Prints what happens in a fabric. */
final class EventPrinter implements FabricObserver {
    private static final String[] STATES = {"", "down", "init", "armed", "active"};

    private final Console console;

    /** @param console null to print nothing */
    EventPrinter(Console console) {
        this.console = console;
    }

    private void print(String line) {
        if (console != null) {
            console.println(line);
            console.out().flush();
        }
    }

    @Override
    public void onPortState(FabricPort port, int before, int now) {
        print(port + ": " + STATES[before] + " -> " + STATES[now]);
    }

    @Override
    public void onCable(Cable cable) {
        print(cable + (cable.isPlugged() ? ": plugged in" : ": pulled"));
    }

    @Override
    public void onLid(FabricPort port) {
        print(port.node().id() + "[" + port.number() + "]: lid " + port.lid());
    }

    @Override
    public void onDrop(FabricPort where, FabricCounter reason) {
        print(where + ": " + reason.name().toLowerCase(Locale.ROOT));
    }
}
