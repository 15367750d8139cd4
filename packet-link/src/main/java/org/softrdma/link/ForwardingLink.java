// SPDX-License-Identifier: Apache-2.0
package org.softrdma.link;

import java.util.List;
import java.util.Map;
import org.softrdma.verbs.Gid;
import org.softrdma.verbs.GidType;

/** Base of links that are stacked on another one: every method is forwarded to {@link #link} unless the subclass overrides it. */
public abstract class ForwardingLink implements Link {
    /** The link below; closed with this one. */
    protected final Link link;

    protected ForwardingLink(Link link) {
        this.link = link;
    }

    @Override
    public List<Gid> addresses() {
        return link.addresses();
    }

    @Override
    public SubnetPort subnetPort() {
        return link.subnetPort();
    }

    @Override
    public List<GidType> types() {
        return link.types();
    }

    @Override
    public boolean has(GidType type, Gid address) {
        return link.has(type, address);
    }

    @Override
    public void addAddress(Gid address) {
        link.addAddress(address);
    }

    @Override
    public void removeAddress(Gid address) {
        link.removeAddress(address);
    }

    @Override
    public boolean refresh(int interfaceIndex) {
        return link.refresh(interfaceIndex);
    }

    @Override
    public boolean isBroken() {
        return link.isBroken();
    }

    @Override
    public boolean deliversIpHeader() {
        return link.deliversIpHeader();
    }

    @Override
    public String description() {
        return link.description();
    }

    @Override
    public Path resolve(PathRequest request) {
        return link.resolve(request);
    }

    @Override
    public void awaitReachable(GidType type, Gid local, Gid remote) {
        link.awaitReachable(type, local, remote);
    }

    @Override
    public void join(Gid group) {
        link.join(group);
    }

    @Override
    public void leave(Gid group) {
        link.leave(group);
    }

    @Override
    public int send(TransmitBatch batch) {
        return link.send(batch);
    }

    @Override
    public int poll(FrameHandler handler, int limit) {
        return link.poll(handler, limit);
    }

    @Override
    public long deadlineNs() {
        return link.deadlineNs();
    }

    @Override
    public void await(long timeoutNs) {
        link.await(timeoutNs);
    }

    @Override
    public void wakeup() {
        link.wakeup();
    }

    @Override
    public int payloadInMemory(Path path) {
        return link.payloadInMemory(path);
    }

    @Override
    public void alsoWakeBy(int fd) {
        link.alsoWakeBy(fd);
    }

    @Override
    public long sendErrors() {
        return link.sendErrors();
    }

    @Override
    public Map<String, Long> counters() {
        return link.counters();
    }

    @Override
    public void close() {
        link.close();
    }
}
