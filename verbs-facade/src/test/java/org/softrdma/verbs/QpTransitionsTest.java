// SPDX-License-Identifier: Apache-2.0
package org.softrdma.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/**
 * The whole state machine against a table written down by hand from IBA vol 1 §11.2.5.2 and the kernel's behaviour: each line is service,
 * from, to, required attributes, optional ones. What is not in the table must be refused.
 */
class QpTransitionsTest {
    private static final String TABLE = """
        RC RESET INIT  PKEY_INDEX,PORT,ACCESS_FLAGS                                                  -
        RC INIT  INIT  -                                                                             PKEY_INDEX,PORT,ACCESS_FLAGS
        RC INIT  RTR   AV,PATH_MTU,DEST_QPN,RQ_PSN,MAX_DEST_RD_ATOMIC,MIN_RNR_TIMER                  ALT_PATH,ACCESS_FLAGS,PKEY_INDEX
        RC RTR   RTS   TIMEOUT,RETRY_CNT,RNR_RETRY,SQ_PSN,MAX_QP_RD_ATOMIC   CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE,MIN_RNR_TIMER
        RC RTS   RTS   -                                                     CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE,MIN_RNR_TIMER
        RC RTS   SQD   -                                                                             EN_SQD_ASYNC_NOTIFY
        RC SQD   RTS   -                                                     CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE,MIN_RNR_TIMER
        RC SQD   SQD   -  PORT,AV,TIMEOUT,RETRY_CNT,RNR_RETRY,MAX_QP_RD_ATOMIC,MAX_DEST_RD_ATOMIC,\
        ALT_PATH,ACCESS_FLAGS,PKEY_INDEX,MIN_RNR_TIMER,PATH_MIG_STATE

        UC RESET INIT  PKEY_INDEX,PORT,ACCESS_FLAGS                                                  -
        UC INIT  INIT  -                                                                             PKEY_INDEX,PORT,ACCESS_FLAGS
        UC INIT  RTR   AV,PATH_MTU,DEST_QPN,RQ_PSN                                                   ALT_PATH,ACCESS_FLAGS,PKEY_INDEX
        UC RTR   RTS   SQ_PSN                                                CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE
        UC RTS   RTS   -                                                     CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE
        UC RTS   SQD   -                                                                             EN_SQD_ASYNC_NOTIFY
        UC SQD   RTS   -                                                     CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE
        UC SQD   SQD   -                                                     AV,ALT_PATH,ACCESS_FLAGS,PKEY_INDEX,PATH_MIG_STATE
        UC SQE   RTS   -                                                     CUR_STATE,ACCESS_FLAGS

        UD RESET INIT  PKEY_INDEX,PORT,QKEY                                                          -
        UD INIT  INIT  -                                                                             PKEY_INDEX,PORT,QKEY
        UD INIT  RTR   -                                                                             PKEY_INDEX,QKEY
        UD RTR   RTS   SQ_PSN                                                                        CUR_STATE,QKEY
        UD RTS   RTS   -                                                                             CUR_STATE,QKEY
        UD RTS   SQD   -                                                                             EN_SQD_ASYNC_NOTIFY
        UD SQD   RTS   -                                                                             CUR_STATE,QKEY
        UD SQD   SQD   -                                                                             PKEY_INDEX,QKEY
        UD SQE   RTS   -                                                                             CUR_STATE,QKEY

        XRC_SEND RESET INIT  PKEY_INDEX,PORT,ACCESS_FLAGS                                            -
        XRC_SEND INIT  INIT  -                                                                       PKEY_INDEX,PORT,ACCESS_FLAGS
        XRC_SEND INIT  RTR   AV,PATH_MTU,DEST_QPN,RQ_PSN                                             ALT_PATH,ACCESS_FLAGS,PKEY_INDEX
        XRC_SEND RTR   RTS   TIMEOUT,RETRY_CNT,RNR_RETRY,SQ_PSN,MAX_QP_RD_ATOMIC   CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE
        XRC_SEND RTS   RTS   -                                                     CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE
        XRC_SEND RTS   SQD   -                                                                       EN_SQD_ASYNC_NOTIFY
        XRC_SEND SQD   RTS   -                                                     CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE
        XRC_SEND SQD   SQD   -  PORT,AV,TIMEOUT,RETRY_CNT,RNR_RETRY,MAX_QP_RD_ATOMIC,ALT_PATH,ACCESS_FLAGS,PKEY_INDEX,PATH_MIG_STATE

        XRC_RECV RESET INIT  PKEY_INDEX,PORT,ACCESS_FLAGS                                            -
        XRC_RECV INIT  INIT  -                                                                       PKEY_INDEX,PORT,ACCESS_FLAGS
        XRC_RECV INIT  RTR   AV,PATH_MTU,DEST_QPN,RQ_PSN,MAX_DEST_RD_ATOMIC,MIN_RNR_TIMER            ALT_PATH,ACCESS_FLAGS,PKEY_INDEX
        XRC_RECV RTR   RTS   TIMEOUT,SQ_PSN                                  CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE,MIN_RNR_TIMER
        XRC_RECV RTS   RTS   -                                               CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE,MIN_RNR_TIMER
        XRC_RECV RTS   SQD   -                                                                       EN_SQD_ASYNC_NOTIFY
        XRC_RECV SQD   RTS   -                                               CUR_STATE,ALT_PATH,ACCESS_FLAGS,PATH_MIG_STATE,MIN_RNR_TIMER
        XRC_RECV SQD   SQD   -  PORT,AV,TIMEOUT,MAX_DEST_RD_ATOMIC,ALT_PATH,ACCESS_FLAGS,PKEY_INDEX,MIN_RNR_TIMER,PATH_MIG_STATE
        """;

    /** Bit positions of enum ibv_qp_attr_mask. */
    private static final List<String> BITS = List.of("STATE", "CUR_STATE", "EN_SQD_ASYNC_NOTIFY", "ACCESS_FLAGS", "PKEY_INDEX", "PORT",
        "QKEY", "AV", "PATH_MTU", "TIMEOUT", "RETRY_CNT", "RNR_RETRY", "RQ_PSN", "MAX_QP_RD_ATOMIC", "ALT_PATH", "MIN_RNR_TIMER", "SQ_PSN",
        "MAX_DEST_RD_ATOMIC", "PATH_MIG_STATE", "CAP", "DEST_QPN");

    private record Transition(QpType type, QpState from, QpState to) {
    }

    private record Needs(int required, int optional) {
    }

    private static Map<Transition, Needs> table() {
        Map<Transition, Needs> table = new HashMap<>();
        for (QpType type : QpType.values()) {
            for (QpState from : QpState.values()) {
                table.put(new Transition(type, from, QpState.RESET), new Needs(0, 0));
                if (from != QpState.RESET) {
                    table.put(new Transition(type, from, QpState.ERR), new Needs(0, 0));
                }
            }
        }
        for (String line : TABLE.lines().filter(line -> !line.isBlank()).toList()) {
            String[] words = line.trim().split(" +");
            table.put(new Transition(QpType.valueOf(words[0]), QpState.valueOf(words[1]), QpState.valueOf(words[2])),
                new Needs(mask(words[3]), mask(words[4])));
        }
        return table;
    }

    private static int mask(String names) {
        return names.equals("-") ? 0 : Arrays.stream(names.split(",")).mapToInt(name -> 1 << BITS.indexOf(name)).sum();
    }

    private static String refusal(Transition way, int mask) {
        VerbsException refused = assertThrows(VerbsException.class, () -> QpTransitions.check(way.type, way.from, way.to, mask),
            way + " with " + QpAttributeMask.names(mask));
        assertEquals(Errno.EINVAL, refused.errno());
        assertEquals("modify_qp", refused.verb());
        assertTrue(refused.getMessage().contains(way.type + " queue pair " + way.from + " to " + way.to), refused.getMessage());
        return refused.getMessage();
    }

    @TestFactory
    Stream<DynamicTest> shouldFollowTheTableInEveryTransition() {
        Map<Transition, Needs> table = table();
        List<DynamicTest> tests = new ArrayList<>();
        for (QpType type : QpType.values()) {
            for (QpState from : QpState.values()) {
                for (QpState to : QpState.values()) {
                    Transition way = new Transition(type, from, to);
                    tests.add(DynamicTest.dynamicTest(type + " " + from + " → " + to, () -> checkOne(way, table.get(way))));
                }
            }
        }
        return tests.stream();
    }

    private static void checkOne(Transition way, Needs needs) {
        int stateBit = 1;
        if (needs == null) {
            assertTrue(refusal(way, stateBit).contains("there is no such transition"));
            assertEquals(-1, QpTransitions.required(way.type, way.from, way.to));
            return;
        }
        assertEquals(needs.required, QpTransitions.required(way.type, way.from, way.to));
        QpTransitions.check(way.type, way.from, way.to, stateBit | needs.required);
        QpTransitions.check(way.type, way.from, way.to, stateBit | needs.required | needs.optional);
        for (int bit = 1; bit < BITS.size() + 2; bit++) {
            int one = 1 << bit;
            String name = bit < BITS.size() ? BITS.get(bit) : "0x" + Integer.toHexString(one);
            if ((needs.required & one) != 0) {
                String message = refusal(way, stateBit | needs.required & ~one);
                assertTrue(message.endsWith(": missing " + name), message);
            } else if ((needs.optional & one) != 0) {
                QpTransitions.check(way.type, way.from, way.to, stateBit | needs.required | one);
            } else {
                String message = refusal(way, stateBit | needs.required | one);
                assertTrue(message.endsWith(": not allowed here: " + name), message);
            }
        }
    }

    @Test
    void shouldNameAllThatIsMissingAndAllThatIsForeign() {
        QpAttributes attributes = new QpAttributes().state(QpState.INIT).port(1).qkey(7).sqPsn(0);
        VerbsException refused = assertThrows(VerbsException.class, () -> QpTransitions.check(QpType.RC, QpState.RESET, attributes));
        assertEquals("modify_qp: Invalid argument (EINVAL): RC queue pair RESET to INIT: missing ACCESS_FLAGS, PKEY_INDEX; "
            + "not allowed here: QKEY, SQ_PSN", refused.getMessage());
    }

    @Test
    void shouldReturnTheNewState() {
        assertEquals(QpState.ERR, QpTransitions.check(QpType.RC, QpState.RTS, new QpAttributes().state(QpState.ERR)));
        assertEquals(QpState.RTR, QpTransitions.check(QpType.UD, QpState.INIT, new QpAttributes().state(QpState.RTR)));
    }

    @Test
    void shouldStayInTheStateWhenNoneIsGiven() {
        assertEquals(QpState.RTS, QpTransitions.check(QpType.RC, QpState.RTS, new QpAttributes().minRnrTimer(3)));
        assertThrows(VerbsException.class, () -> QpTransitions.check(QpType.RC, QpState.RTR, new QpAttributes().minRnrTimer(3)));
        assertThrows(VerbsException.class, () -> QpTransitions.check(QpType.RC, QpState.RTS, new QpAttributes().state(null)));
    }

    @Test
    void shouldRefuseACurrentStateThatIsNotTheCurrentOne() {
        for (QpState actual : QpState.values()) {
            for (QpState believed : QpState.values()) {
                boolean mayBeGiven = actual == QpState.RTR || actual == QpState.RTS || actual == QpState.SQD || actual == QpState.SQE;
                QpAttributes attributes = new QpAttributes().state(QpState.RTS).curState(believed);
                if (actual == QpState.RTR) {
                    attributes.sqPsn(1);
                }
                if (believed == actual && mayBeGiven) {
                    assertEquals(QpState.RTS, QpTransitions.check(QpType.UC, actual, attributes));
                } else {
                    VerbsException refused = assertThrows(VerbsException.class, () -> QpTransitions.check(QpType.UC, actual, attributes));
                    assertEquals(Errno.EINVAL, refused.errno());
                    assertTrue(refused.getMessage().contains("CUR_STATE " + believed), refused.getMessage());
                }
            }
        }
    }
}
