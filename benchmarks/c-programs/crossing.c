// SPDX-License-Identifier: Apache-2.0
//
// crossing    prints what calls of the data path cost on the first device, one line for each kind:
//     @ ns.KIND n        nanoseconds for one, median
//
// Kinds: an empty poll; a receive that is posted to a shared receive queue, which is a store to shared memory; the post of a 64 B WRITE,
// which tells the device; the same with the poll of its completion, 64 at once. load/Crossing.java measures the same in Java.

#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { WARM = 15, COUNT = 31, POLLS = 100000, RECEIVES = 1000, ROUNDS = 20, WRITES = 64, ROUNDS_OF_WRITES = 100, BYTES = 64, PSN = 1 };

static struct ibv_pd *pd;
static struct ibv_cq *cq;
static struct ibv_mr *mr;
static struct ibv_qp *qp;
static char *memory;

static void *require(const char *what, void *made) {
    if (!made) {
        perror(what);
        exit(1);
    }
    return made;
}

static void require_zero(const char *what, int failed) {
    if (failed) {
        fprintf(stderr, "%s: %s\n", what, strerror(failed < 0 ? -failed : failed));
        exit(1);
    }
}

static double now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e9 + now.tv_nsec;
}

static int compare(const void *a, const void *b) {
    double difference = *(const double *) a - *(const double *) b;
    return (difference > 0) - (difference < 0);
}

static void report(const char *kind, double (*measure)(void)) {
    static double ns[COUNT];
    for (int i = -WARM; i < COUNT; i++) {
        double each = measure();
        if (i >= 0) {
            ns[i] = each;
        }
    }
    qsort(ns, COUNT, sizeof ns[0], compare);
    printf("@ ns.%s %.2f\n", kind, ns[COUNT / 2]);
}

static double poll_empty(void) {
    struct ibv_wc wc;
    double start = now_ns();
    for (int i = 0; i < POLLS; i++) {
        if (ibv_poll_cq(cq, 1, &wc)) {
            fprintf(stderr, "a completion\n");
            exit(1);
        }
    }
    return (now_ns() - start) / POLLS;
}

static double post_receives(void) {
    double taken = 0;
    for (int round = 0; round < ROUNDS; round++) {
        struct ibv_srq_init_attr attributes = {.attr = {.max_wr = RECEIVES, .max_sge = 1}};
        struct ibv_srq *srq = require("ibv_create_srq", ibv_create_srq(pd, &attributes));
        double start = now_ns();
        for (int i = 0; i < RECEIVES; i++) {
            struct ibv_sge sge = {.addr = (uintptr_t) memory, .length = BYTES, .lkey = mr->lkey};
            struct ibv_recv_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1}, *bad;
            require_zero("ibv_post_srq_recv", ibv_post_srq_recv(srq, &wr, &bad));
        }
        taken += now_ns() - start;
        require_zero("ibv_destroy_srq", ibv_destroy_srq(srq));
    }
    return taken / (ROUNDS * RECEIVES);
}

static void post_writes(void) {
    for (int i = 0; i < WRITES; i++) {
        struct ibv_sge sge = {.addr = (uintptr_t) memory, .length = BYTES, .lkey = mr->lkey};
        struct ibv_send_wr wr = {.wr_id = i, .sg_list = &sge, .num_sge = 1, .opcode = IBV_WR_RDMA_WRITE, .send_flags = IBV_SEND_SIGNALED,
            .wr.rdma = {.remote_addr = (uintptr_t) memory + BYTES, .rkey = mr->rkey}}, *bad;
        require_zero("ibv_post_send", ibv_post_send(qp, &wr, &bad));
    }
}

static void take_completions(void) {
    struct ibv_wc wc[16];
    for (int taken = 0; taken < WRITES;) {
        int n = ibv_poll_cq(cq, 16, wc);
        for (int i = 0; i < n; i++) {
            require_zero(ibv_wc_status_str(wc[i].status), wc[i].status);
        }
        taken += n;
    }
}

static double post_only(void) {
    double taken = 0;
    for (int round = 0; round < ROUNDS_OF_WRITES; round++) {
        double start = now_ns();
        post_writes();
        taken += now_ns() - start;
        take_completions();
    }
    return taken / (ROUNDS_OF_WRITES * WRITES);
}

static double post_and_poll(void) {
    double start = now_ns();
    for (int round = 0; round < ROUNDS_OF_WRITES; round++) {
        post_writes();
        take_completions();
    }
    return (now_ns() - start) / (ROUNDS_OF_WRITES * WRITES);
}

static struct ibv_qp *create_qp(void) {
    struct ibv_qp_init_attr attributes = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 2 * WRITES, .max_recv_wr = 1, .max_send_sge = 1, .max_recv_sge = 1}};
    return require("ibv_create_qp", ibv_create_qp(pd, &attributes));
}

static void connect_qp(struct ibv_qp *of, uint32_t peer, union ibv_gid gid, int index) {
    struct ibv_qp_attr attributes = {.qp_state = IBV_QPS_INIT, .port_num = 1, .qp_access_flags = IBV_ACCESS_REMOTE_WRITE,
        .path_mtu = IBV_MTU_1024, .dest_qp_num = peer, .rq_psn = PSN, .sq_psn = PSN, .max_rd_atomic = 1, .max_dest_rd_atomic = 1,
        .min_rnr_timer = 12, .timeout = 18, .retry_cnt = 7, .rnr_retry = 7,
        .ah_attr = {.is_global = 1, .port_num = 1, .grh = {.dgid = gid, .sgid_index = index, .hop_limit = 64}}};
    require_zero("INIT", ibv_modify_qp(of, &attributes, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS));
    attributes.qp_state = IBV_QPS_RTR;
    require_zero("RTR", ibv_modify_qp(of, &attributes, IBV_QP_STATE | IBV_QP_AV | IBV_QP_PATH_MTU | IBV_QP_DEST_QPN | IBV_QP_RQ_PSN
        | IBV_QP_MAX_DEST_RD_ATOMIC | IBV_QP_MIN_RNR_TIMER));
    attributes.qp_state = IBV_QPS_RTS;
    require_zero("RTS", ibv_modify_qp(of, &attributes, IBV_QP_STATE | IBV_QP_TIMEOUT | IBV_QP_RETRY_CNT | IBV_QP_RNR_RETRY
        | IBV_QP_SQ_PSN | IBV_QP_MAX_QP_RD_ATOMIC));
}

// The first GID that is an IPv4 address.
static int find_gid(struct ibv_context *context, union ibv_gid *gid) {
    static const unsigned char mapped[12] = {[10] = 0xff, [11] = 0xff};
    for (int i = 0; i < 16; i++) {
        if (!ibv_query_gid(context, 1, i, gid) && !memcmp(gid->raw, mapped, sizeof mapped)) {
            return i;
        }
    }
    fprintf(stderr, "no IPv4 address\n");
    exit(1);
}

int main(void) {
    struct ibv_device **list = ibv_get_device_list(NULL);
    struct ibv_context *context = require("ibv_open_device", list && list[0] ? ibv_open_device(list[0]) : NULL);
    pd = require("ibv_alloc_pd", ibv_alloc_pd(context));
    cq = require("ibv_create_cq", ibv_create_cq(context, 4 * WRITES, NULL, NULL, 0));
    memory = require("aligned_alloc", aligned_alloc(4096, 4096));
    mr = require("ibv_reg_mr", ibv_reg_mr(pd, memory, 4096, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE));
    qp = create_qp();
    struct ibv_qp *peer = create_qp();
    union ibv_gid gid;
    int index = find_gid(context, &gid);
    connect_qp(qp, peer->qp_num, gid, index);
    connect_qp(peer, qp->qp_num, gid, index);
    report("poll", poll_empty);
    report("receive", post_receives);
    report("post", post_only);
    report("write", post_and_poll);
    return 0;
}
