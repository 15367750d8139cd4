// SPDX-License-Identifier: Apache-2.0
package org.softrdma.tools.qperf;

import org.softrdma.verbs.WcStatus;

/** Reason of a failed work request in the words of qperf, which differ from libibverbs'. */
final class CompletionError {
    private CompletionError() {
    }

    static String text(WcStatus status) {
        return switch (status) {
            case SUCCESS -> "Success";
            case LOC_LEN_ERR -> "Local length error";
            case LOC_QP_OP_ERR -> "Local QP operation failure";
            case LOC_EEC_OP_ERR -> "Local EEC operation failure";
            case LOC_PROT_ERR -> "Local protection error";
            case WR_FLUSH_ERR -> "WR flush failure";
            case MW_BIND_ERR -> "Memory window bind failure";
            case BAD_RESP_ERR -> "Bad response";
            case LOC_ACCESS_ERR -> "Local access failure";
            case REM_INV_REQ_ERR -> "Remote invalid request";
            case REM_ACCESS_ERR -> "Remote access failure";
            case REM_OP_ERR -> "Remote operation failure";
            case RETRY_EXC_ERR -> "Retries exceeded";
            case RNR_RETRY_EXC_ERR -> "RNR retry exceeded";
            case LOC_RDD_VIOL_ERR -> "Local RDD violation";
            case REM_INV_RD_REQ_ERR -> "Remote invalid read request";
            case REM_ABORT_ERR -> "Remote abort";
            case INV_EECN_ERR -> "Invalid EECN";
            case INV_EEC_STATE_ERR -> "Invalid EEC state";
            case FATAL_ERR -> "Fatal error";
            case RESP_TIMEOUT_ERR -> "Responder timeout";
            case GENERAL_ERR -> "General error";
            case TM_ERR, TM_RNDV_INCOMPLETE -> "CQ error " + status.value();
        };
    }
}
