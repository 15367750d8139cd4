// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.service;

import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.List;
import org.softrdma.abi.netlink.Nldev;
import org.softrdma.abi.netlink.NldevReply;
import org.softrdma.abi.netlink.NldevRequest;
import org.softrdma.abi.sysfs.DeviceNumber;
import org.softrdma.abi.sysfs.SysfsDevice;
import org.softrdma.abi.sysfs.SysfsPort;
import org.softrdma.abi.ucm.UcmCommand;
import org.softrdma.daemon.trap.NetlinkAnswers;
import org.softrdma.verbs.Errno;

/**
 * Answers of the netlink family RDMA: how libibverbs finds devices and their drivers. libsiw is found in no other way. Behaviour of Linux
 * 6.1's {@code drivers/infiniband/core/nldev.c}.
 */
final class RdmaNetlink implements NetlinkAnswers {
    private static final int NONE = -1;

    private final HostDevices devices;

    RdmaNetlink(HostDevices devices) {
        this.devices = devices;
    }

    @Override
    public byte[] answer(byte[] datagram) {
        NldevRequest request = NldevRequest.of(datagram);
        return request == null ? null : answer(request).acknowledge().bytes();
    }

    private NldevReply answer(NldevRequest request) {
        NldevReply reply = new NldevReply(request);
        return switch (request.type()) {
            case Nldev.GET -> devices(request, reply);
            case Nldev.PORT_GET -> ports(request, reply);
            case Nldev.GET_CHARDEV -> characterDevice(request, reply);
            case Nldev.SYS_GET -> reply.begin().u8(Nldev.SYS_NETNS_MODE, 1).u8(Nldev.SYS_COPY_ON_FORK, 1).end();
            default -> reply.error(Errno.EOPNOTSUPP.value());
        };
    }

    private NldevReply devices(NldevRequest request, NldevReply reply) {
        List<HostDevices.Shown> shown = devices.shown();
        if (request.isDump()) {
            shown.forEach(each -> device(each, reply));
            return reply.done();
        }
        HostDevices.Shown found = find(shown, request);
        return found == null ? reply.error(Errno.EINVAL.value()) : device(found, reply);
    }

    private static HostDevices.Shown find(List<HostDevices.Shown> shown, NldevRequest request) {
        int index = request.number(Nldev.DEV_INDEX, NONE);
        return shown.stream().filter(each -> each.device().uverbs() == index).findFirst().orElse(null);
    }

    private static NldevReply device(HostDevices.Shown each, NldevReply reply) {
        SysfsDevice device = each.device();
        return begin(device, reply)
            .u32(Nldev.PORT_INDEX, device.ports().size())
            .text(Nldev.FW_VERSION, device.fwVersion())
            .u64(Nldev.NODE_GUID, device.nodeGuid())
            .u64(Nldev.SYS_IMAGE_GUID, device.sysImageGuid())
            .u8(Nldev.DEV_NODE_TYPE, device.nodeType())
            .text(Nldev.DEV_PROTOCOL, device.nodeType() == SysfsDevice.RNIC ? "iw" : "roce")
            .end();
    }

    private static NldevReply begin(SysfsDevice device, NldevReply reply) {
        return reply.begin().u32(Nldev.DEV_INDEX, device.uverbs()).text(Nldev.DEV_NAME, device.name());
    }

    private NldevReply ports(NldevRequest request, NldevReply reply) {
        HostDevices.Shown found = find(devices.shown(), request);
        if (found == null) {
            return reply.error(Errno.EINVAL.value());
        }
        for (SysfsPort port : found.device().ports()) {
            begin(found.device(), reply)
                .u32(Nldev.PORT_INDEX, port.number())
                .u64(Nldev.CAP_FLAGS, port.capMask())
                .u8(Nldev.PORT_STATE, port.state())
                .u8(Nldev.PORT_PHYS_STATE, port.physState())
                .u32(Nldev.NDEV_INDEX, interfaceNumber(found.netdev()))
                .text(Nldev.NDEV_NAME, found.netdev())
                .end();
        }
        return request.isDump() ? reply.done() : reply;
    }

    /** Returns 0 for an interface that has been removed. */
    private static int interfaceNumber(String netdev) {
        try {
            NetworkInterface found = NetworkInterface.getByName(netdev);
            return found == null ? 0 : found.getIndex();
        } catch (SocketException unreadable) {
            return 0;
        }
    }

    private NldevReply characterDevice(NldevRequest request, NldevReply reply) {
        String type = request.text(Nldev.CHARDEV_TYPE);
        if (type.equals("rdma_cm")) {
            return reply.begin().text(Nldev.CHARDEV_NAME, type).u64(Nldev.CHARDEV_ABI, UcmCommand.ABI_VERSION)
                .u64(Nldev.CHARDEV, devices.rdmaCm().packed()).end();
        }
        HostDevices.Shown found = find(devices.shown(), request);
        if (!type.equals("uverbs") || found == null) {
            return reply.error(Errno.EINVAL.value());
        }
        int number = found.device().uverbs();
        return reply.begin().text(Nldev.CHARDEV_NAME, type + number).u64(Nldev.CHARDEV_ABI, found.device().abiVersion())
            .u64(Nldev.CHARDEV, DeviceNumber.uverbs(number).packed())
            .u32(Nldev.UVERBS_DRIVER_ID, found.driverId()).end();
    }
}
