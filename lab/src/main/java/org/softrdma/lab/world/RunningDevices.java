// SPDX-License-Identifier: Apache-2.0
package org.softrdma.lab.world;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.softrdma.host.config.StateDirectory;
import org.softrdma.host.inspect.DeviceReport;
import org.softrdma.host.inspect.ProcessReport;
import org.softrdma.host.inspect.Resource;
import org.softrdma.host.inspect.ResourceKind;
import org.softrdma.host.inspect.RunningProcesses;
import org.softrdma.lab.ladder.Arrow;

/** The devices of this user's running processes, as they report themselves; looked at once a second. Nothing is changed there. */
public final class RunningDevices implements World {
    private static final long LOOK_MS = 1000;

    private final Runnable onChange;
    private final Thread thread;
    private volatile List<ProcessReport> reports = List.of();
    private volatile List<String> problems = List.of();
    private volatile boolean closed;

    /** @param onChange called after each look, by a thread of its own */
    public RunningDevices(Runnable onChange) {
        this.onChange = onChange;
        thread = Thread.ofPlatform().daemon().name("softrdma-lab-running").start(this::look);
    }

    private void look() {
        while (!closed) {
            List<String> found = new ArrayList<>();
            reports = RunningProcesses.ask(StateDirectory.ofUser(), found::add);
            problems = found;
            onChange.run();
            try {
                Thread.sleep(LOOK_MS);
            } catch (InterruptedException ended) {
                closed = true;
            }
        }
    }

    @Override
    public Map<String, Object> news(Cursor seen) {
        Map<String, Object> news = new LinkedHashMap<>();
        news.put("kind", "running");
        news.put("problems", problems);
        news.put("hosts", Hosts.grouped(hosts(reports)));
        news.put("counters", reports.stream().flatMap(process -> process.devices().stream()).map(DeviceReport::counters).toList());
        return news;
    }

    /** One host for each device of each process. */
    static List<Hosts.Host> hosts(List<ProcessReport> reports) {
        Map<String, String> idOfQpn = new TreeMap<>();
        for (ProcessReport process : reports) {
            for (DeviceReport device : process.devices()) {
                pairs(device).forEach(pair -> idOfQpn.put(pair.attribute("lqpn"), id(process, device, pair)));
            }
        }
        List<Hosts.Host> hosts = new ArrayList<>();
        for (ProcessReport process : reports) {
            for (DeviceReport device : process.devices()) {
                List<Hosts.Pair> shown = new ArrayList<>();
                for (Resource pair : pairs(device)) {
                    String peer = pair.attribute("rqpn");
                    shown.add(new Hosts.Pair(id(process, device, pair), -1, -1, hex(pair.attribute("lqpn")),
                        String.valueOf(pair.attribute("type")), String.valueOf(pair.attribute("state")),
                        peer == null ? "" : idOfQpn.getOrDefault(peer, ""), pair.attributes().toString(), 1));
                }
                hosts.add(new Hosts.Host(device.device(), process.command() + ", process " + process.pid(), shown));
            }
        }
        return hosts;
    }

    private static List<Resource> pairs(DeviceReport device) {
        return device.resources().stream().filter(each -> each.kind() == ResourceKind.QP).toList();
    }

    private static String id(ProcessReport process, DeviceReport device, Resource pair) {
        return process.pid() + "/" + device.device() + "/" + pair.attribute("lqpn");
    }

    private static String hex(String number) {
        return number == null ? "" : "0x" + Long.toHexString(Long.parseLong(number));
    }

    @Override
    public Arrow arrow(int id) {
        throw new IllegalArgumentException("packets of running devices are not recorded; set SOFTRDMA_CAPTURE_DIR and open the file");
    }

    @Override
    public void close() {
        closed = true;
        thread.interrupt();
    }
}
