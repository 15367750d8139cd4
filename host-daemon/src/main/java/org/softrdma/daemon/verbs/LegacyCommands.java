// SPDX-License-Identifier: Apache-2.0
package org.softrdma.daemon.verbs;

import org.agrona.collections.Int2ObjectHashMap;
import org.softrdma.abi.uverbs.AllocMwCommand;
import org.softrdma.abi.uverbs.AllocMwResponse;
import org.softrdma.abi.uverbs.AllocPdResponse;
import org.softrdma.abi.uverbs.CreateAhCommand;
import org.softrdma.abi.uverbs.CreateAhResponse;
import org.softrdma.abi.uverbs.CreateCompChannelResponse;
import org.softrdma.abi.uverbs.ExtendedModifyQpCommand;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceCommand;
import org.softrdma.abi.uverbs.ExtendedQueryDeviceResponse;
import org.softrdma.abi.uverbs.HandleCommand;
import org.softrdma.abi.uverbs.McastCommand;
import org.softrdma.abi.uverbs.ModifyQpCommand;
import org.softrdma.abi.uverbs.ModifySrqCommand;
import org.softrdma.abi.uverbs.QueryDeviceResponse;
import org.softrdma.abi.uverbs.QueryQpCommand;
import org.softrdma.abi.uverbs.QueryQpResponse;
import org.softrdma.abi.uverbs.QuerySrqCommand;
import org.softrdma.abi.uverbs.QuerySrqResponse;
import org.softrdma.abi.uverbs.RegMrCommand;
import org.softrdma.abi.uverbs.RegMrResponse;
import org.softrdma.abi.uverbs.ReqNotifyCqCommand;
import org.softrdma.abi.uverbs.ResizeCqCommand;
import org.softrdma.abi.uverbs.ResizeCqResponse;
import org.softrdma.abi.uverbs.UverbsAttribute;
import org.softrdma.abi.uverbs.UverbsCommand;

/**
 * The commands of the legacy write interface, as INVOKE_WRITE carries them. Without room for the least request and response a command fails
 * with ENOSPC, even before a context exists: libibverbs uses that to find out whether the ioctl works. Unknown ones get EOPNOTSUPP.
 */
final class LegacyCommands {
    private static final int COMMAND_MASK = 0xFF;
    /** Least size of the extended QUERY_DEVICE's response: its base and two fields. */
    private static final int EXTENDED_QUERY_LEAST = ExtendedQueryDeviceResponse.ODP_GENERAL_CAPS_OFFSET;
    private static final int U64_RESPONSE = Long.BYTES;
    private static final Int2ObjectHashMap<Command> ALL = new Int2ObjectHashMap<>();

    static {
        add(UverbsCommand.QUERY_DEVICE, U64_RESPONSE, QueryDeviceResponse.BYTES, DeviceMethods::queryDevice);
        add(UverbsCommand.ALLOC_PD, U64_RESPONSE, AllocPdResponse.BYTES, PdMethods::allocate);
        add(UverbsCommand.DEALLOC_PD, HandleCommand.BYTES, 0, PdMethods::destroy);
        add(UverbsCommand.CREATE_AH, CreateAhCommand.BYTES, CreateAhResponse.BYTES, AhMethods::create);
        add(UverbsCommand.DESTROY_AH, HandleCommand.BYTES, 0, AhMethods::destroy);
        add(UverbsCommand.REG_MR, RegMrCommand.BYTES, RegMrResponse.BYTES, MrMethods::register);
        add(UverbsCommand.DEREG_MR, HandleCommand.BYTES, 0, MrMethods::destroy);
        add(UverbsCommand.ALLOC_MW, AllocMwCommand.BYTES, AllocMwResponse.BYTES, MrMethods::allocateWindow);
        add(UverbsCommand.DEALLOC_MW, HandleCommand.BYTES, 0, MrMethods::destroyWindow);
        add(UverbsCommand.CREATE_COMP_CHANNEL, U64_RESPONSE, CreateCompChannelResponse.BYTES, CqMethods::createChannel);
        add(UverbsCommand.RESIZE_CQ, ResizeCqCommand.BYTES, ResizeCqResponse.CQE_OFFSET + Integer.BYTES, CqMethods::resize);
        add(UverbsCommand.REQ_NOTIFY_CQ, ReqNotifyCqCommand.BYTES, 0, CqMethods::requestNotify);
        add(UverbsCommand.QUERY_QP, QueryQpCommand.BYTES, QueryQpResponse.BYTES, QpMethods::query);
        add(UverbsCommand.MODIFY_QP, ModifyQpCommand.BYTES, 0, QpMethods::modify);
        add(UverbsCommand.ATTACH_MCAST, McastCommand.BYTES, 0, QpMethods::attach);
        add(UverbsCommand.DETACH_MCAST, McastCommand.BYTES, 0, QpMethods::detach);
        add(UverbsCommand.MODIFY_SRQ, ModifySrqCommand.BYTES, 0, SrqMethods::modify);
        add(UverbsCommand.QUERY_SRQ, QuerySrqCommand.BYTES, QuerySrqResponse.BYTES, SrqMethods::query);
        add(UverbsCommand.EXTENDED | UverbsCommand.EXTENDED_QUERY_DEVICE, ExtendedQueryDeviceCommand.BYTES, EXTENDED_QUERY_LEAST,
            DeviceMethods::queryDeviceExtended);
        add(UverbsCommand.EXTENDED | UverbsCommand.EXTENDED_MODIFY_QP, ExtendedModifyQpCommand.RATE_LIMIT_OFFSET, 0,
            QpMethods::modifyExtended);
    }

    /** Execution of a command, with the lock of the file held. */
    private interface Handler {
        void run(UverbsFile file, LegacyCall call);
    }

    private record Command(int requestBytes, int responseBytes, Handler handler) {
    }

    private LegacyCommands() {
    }

    private static void add(int number, int requestBytes, int responseBytes, Handler handler) {
        ALL.put(number, new Command(requestBytes, responseBytes, handler));
    }

    /** Runs the command that the call carries. */
    static void invoke(UverbsFile file, UverbsCall call) {
        int number = (int) call.value(UverbsAttribute.WRITE_CMD);
        if ((number & ~(UverbsCommand.EXTENDED | COMMAND_MASK)) != 0) {
            throw Refusals.invalid("command 0x" + Integer.toHexString(number));
        }
        Command command = ALL.get(number);
        if (command == null) {
            throw Refusals.unsupported("command 0x" + Integer.toHexString(number));
        }
        if (call.length(UverbsAttribute.CORE_IN) < command.requestBytes
            || call.length(UverbsAttribute.CORE_OUT) < command.responseBytes) {
            throw Refusals.noRoom("command 0x" + Integer.toHexString(number));
        }
        file.requireContext();
        command.handler.run(file, new LegacyCall(call));
    }
}
