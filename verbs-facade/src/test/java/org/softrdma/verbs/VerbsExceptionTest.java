// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class VerbsExceptionTest {
    /** A queue pair that records what was posted and refuses what {@code refuseWrId} names. */
    private static QueuePair queuePair(List<Long> posted, long refuseWrId) {
        InvocationHandler handler = (proxy, method, arguments) -> {
            if (method.isDefault()) {
                return InvocationHandler.invokeDefault(proxy, method, arguments);
            }
            long wrId = arguments[0] instanceof SendRequest send ? send.wrId() : ((ReceiveRequest) arguments[0]).wrId();
            if (wrId == refuseWrId) {
                throw new VerbsException(Errno.ENOMEM, method.getName(), "full");
            }
            posted.add(wrId);
            return null;
        };
        return (QueuePair) Proxy.newProxyInstance(QueuePair.class.getClassLoader(), new Class<?>[] {QueuePair.class}, handler);
    }

    @Test
    void shouldNameVerbErrnoAndValues() {
        VerbsException refused = new VerbsException(Errno.EINVAL, "create_cq", "cqe 0 is not in 1..32767");
        assertEquals("create_cq: Invalid argument (EINVAL): cqe 0 is not in 1..32767", refused.getMessage());
        assertEquals(Errno.EINVAL, refused.errno());
        assertEquals("create_cq", refused.verb());
        IOException cause = new IOException("gone");
        assertSame(cause, new VerbsException(Errno.EIO, "open_device", "rxe0", cause).getCause());
    }

    @Test
    void shouldAnswerEopnotsuppForWhatAProviderLeavesOut() {
        QueuePair qp = queuePair(new ArrayList<>(), -1);
        List<Runnable> calls = List.of(() -> qp.attachMulticast(Gid.ZERO), () -> qp.detachMulticast(Gid.ZERO),
            () -> qp.bind(null, 0, null, 0, 0, 0, 0));
        List<String> verbs = List.of("attach_mcast", "detach_mcast", "bind_mw");
        for (int i = 0; i < calls.size(); i++) {
            VerbsException refused = assertThrows(VerbsException.class, calls.get(i)::run);
            assertEquals(Errno.EOPNOTSUPP, refused.errno());
            assertEquals(verbs.get(i), refused.verb());
            assertEquals(verbs.get(i) + ": Operation not supported (EOPNOTSUPP): this device does not implement it", refused.getMessage());
        }
    }

    @Test
    void shouldStopAListAtTheFirstRefusedSendAndNameIt() {
        List<Long> posted = new ArrayList<>();
        List<SendRequest> list = List.of(new SendRequest().wrId(10), new SendRequest().wrId(11), new SendRequest().wrId(12),
            new SendRequest().wrId(13));
        BadWorkRequestException refused = assertThrows(BadWorkRequestException.class, () -> queuePair(posted, 12).postSend(list));
        assertEquals(2, refused.index());
        assertEquals(Errno.ENOMEM, refused.errno());
        assertEquals(List.of(10L, 11L), posted);
        assertEquals("postSend: Cannot allocate memory (ENOMEM): work request 2 of the list: "
            + "postSend: Cannot allocate memory (ENOMEM): full", refused.getMessage());
        assertEquals(VerbsException.class, refused.getCause().getClass());
    }

    @Test
    void shouldStopAListAtTheFirstRefusedReceive() {
        List<Long> posted = new ArrayList<>();
        List<ReceiveRequest> list = List.of(new ReceiveRequest().begin(1), new ReceiveRequest().begin(2));
        BadWorkRequestException refused = assertThrows(BadWorkRequestException.class, () -> queuePair(posted, 1).postReceive(list));
        assertEquals(0, refused.index());
        assertEquals(List.of(), posted);
        queuePair(posted, 3).postReceive(list);
        assertEquals(List.of(1L, 2L), posted);
    }

    @Test
    void shouldListTheDevicesThereAreWhenOneIsUnknown() {
        assertEquals(List.of(), Verbs.devices(), "no provider on this class path");
        VerbsException refused = assertThrows(VerbsException.class, () -> Verbs.open("rxe7"));
        assertEquals(Errno.ENODEV, refused.errno());
        assertEquals("open_device: No such device (ENODEV): no device named rxe7; there are: []", refused.getMessage());
    }
}
