// SPDX-License-Identifier: Apache-2.0
package org.softrdma.fabric.model;

/** A cable between two ports, which can be pulled, and can lose packets. */
public final class Cable {
    private final FabricPort first;
    private final FabricPort second;
    private boolean plugged = true;
    private double loss;

    Cable(FabricPort first, FabricPort second) {
        this.first = first;
        this.second = second;
    }

    public FabricPort first() {
        return first;
    }

    public FabricPort second() {
        return second;
    }

    FabricPort otherEnd(FabricPort of) {
        return of == first ? second : first;
    }

    /** Whether it is in both ports. */
    public boolean isPlugged() {
        return plugged;
    }

    void setPlugged(boolean now) {
        plugged = now;
    }

    /** Share of packets lost, 0..1. */
    public double loss() {
        return loss;
    }

    void setLoss(double share) {
        loss = share;
    }

    @Override
    public String toString() {
        return first + " - " + second;
    }
}
