// SPDX-License-Identifier: Apache-2.0
/*
 * Remote memory through librpma: the client writes blocks, flushes each, counts them with an atomic write, which it flushes as well, and
 * reads everything back. The server compares its memory once the client has disconnected.
 *
 *   rpma-exchange server ADDRESS PORT
 *   rpma-exchange client ADDRESS PORT
 */
#include <librpma.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BLOCKS = 64, BLOCK_BYTES = 5000, COUNTER_BYTES = 8, BYTES = COUNTER_BYTES + BLOCKS * BLOCK_BYTES, PAGE = 4096 };

/* In the private data of the server's answer, 56 bytes at most. */
struct offer {
    uint8_t descriptor_bytes;
    char descriptor[48];
};

static void check(int result, const char *call) {
    if (result) {
        fprintf(stderr, "%s: %s\n", call, rpma_err_2str(result));
        exit(1);
    }
}
#define CHECK(call) check(call, #call)

static void require(int right, const char *what, int index) {
    if (!right) {
        fprintf(stderr, "%s %d is wrong\n", what, index);
        exit(1);
    }
}

static unsigned char expected(int position) {
    return position * 31 + position / 251;
}

static void compare(const unsigned char *memory, const char *what) {
    uint64_t count;
    memcpy(&count, memory, COUNTER_BYTES);
    require(count == BLOCKS, "counter", (int) count);
    for (int i = 0; i < BLOCKS * BLOCK_BYTES; i++) {
        require(memory[COUNTER_BYTES + i] == expected(i), what, i);
    }
}

static void await_event(struct rpma_conn *connection, enum rpma_conn_event wanted) {
    enum rpma_conn_event event;
    CHECK(rpma_conn_next_event(connection, &event));
    if (event != wanted) {
        fprintf(stderr, "%s instead of %s\n", rpma_utils_conn_event_2str(event), rpma_utils_conn_event_2str(wanted));
        exit(1);
    }
}

static void await_completion(struct rpma_conn *connection, uintptr_t wr_id) {
    struct rpma_cq *cq;
    struct ibv_wc wc;
    CHECK(rpma_conn_get_cq(connection, &cq));
    CHECK(rpma_cq_wait(cq));
    CHECK(rpma_cq_get_wc(cq, 1, &wc, NULL));
    if (wc.status != IBV_WC_SUCCESS || wc.wr_id != wr_id) {
        fprintf(stderr, "completion of %d: %s\n", (int) wc.wr_id, ibv_wc_status_str(wc.status));
        exit(1);
    }
}

static void serve(struct rpma_peer *peer, const char *address, const char *port, unsigned char *memory) {
    struct rpma_ep *listener;
    struct rpma_conn_req *request;
    struct rpma_conn *connection;
    struct rpma_mr_local *mr;
    struct offer offer = {0};
    size_t bytes;
    CHECK(rpma_ep_listen(peer, address, port, &listener));
    CHECK(rpma_mr_reg(peer, memory, BYTES, RPMA_MR_USAGE_WRITE_DST | RPMA_MR_USAGE_READ_SRC | RPMA_MR_USAGE_FLUSH_TYPE_PERSISTENT
        | RPMA_MR_USAGE_FLUSH_TYPE_VISIBILITY, &mr));
    CHECK(rpma_mr_get_descriptor_size(mr, &bytes));
    require(bytes <= sizeof offer.descriptor, "size of the descriptor", (int) bytes);
    offer.descriptor_bytes = bytes;
    CHECK(rpma_mr_get_descriptor(mr, offer.descriptor));
    struct rpma_conn_private_data data = {&offer, sizeof offer};
    CHECK(rpma_ep_next_conn_req(listener, NULL, &request));
    CHECK(rpma_conn_req_connect(&request, &data, &connection));
    await_event(connection, RPMA_CONN_ESTABLISHED);
    await_event(connection, RPMA_CONN_CLOSED);
    compare(memory, "byte at the server");
    CHECK(rpma_conn_disconnect(connection));
    CHECK(rpma_conn_delete(&connection));
    CHECK(rpma_mr_dereg(&mr));
    CHECK(rpma_ep_shutdown(&listener));
}

static void write_blocks(struct rpma_conn *connection, struct rpma_mr_local *mr, struct rpma_mr_remote *remote) {
    for (int i = 0; i < BLOCKS; i++) {
        enum rpma_flush_type type = i % 2 ? RPMA_FLUSH_TYPE_PERSISTENT : RPMA_FLUSH_TYPE_VISIBILITY;
        size_t offset = COUNTER_BYTES + (size_t) i * BLOCK_BYTES;
        uint64_t count = i + 1;
        char counter[COUNTER_BYTES];
        memcpy(counter, &count, COUNTER_BYTES);
        CHECK(rpma_write(connection, remote, offset, mr, offset, BLOCK_BYTES, RPMA_F_COMPLETION_ON_ERROR, NULL));
        CHECK(rpma_flush(connection, remote, offset, BLOCK_BYTES, type, RPMA_F_COMPLETION_ON_ERROR, NULL));
        CHECK(rpma_atomic_write(connection, remote, 0, counter, RPMA_F_COMPLETION_ON_ERROR, NULL));
        CHECK(rpma_flush(connection, remote, 0, COUNTER_BYTES, type, RPMA_F_COMPLETION_ALWAYS, (void *) (uintptr_t) (i + 1)));
        await_completion(connection, i + 1);
    }
}

static void ask(struct rpma_peer *peer, const char *address, const char *port, unsigned char *memory) {
    struct rpma_conn_req *request;
    struct rpma_conn *connection;
    struct rpma_peer_cfg *config;
    struct rpma_mr_local *mr;
    struct rpma_mr_remote *remote;
    struct rpma_conn_private_data data;
    struct offer offer;
    size_t bytes;
    CHECK(rpma_conn_req_new(peer, address, port, NULL, &request));
    CHECK(rpma_conn_req_connect(&request, NULL, &connection));
    await_event(connection, RPMA_CONN_ESTABLISHED);
    CHECK(rpma_conn_get_private_data(connection, &data));
    require(data.len >= sizeof offer, "length of the private data", data.len);
    memcpy(&offer, data.ptr, sizeof offer);
    CHECK(rpma_mr_remote_from_descriptor(offer.descriptor, offer.descriptor_bytes, &remote));
    CHECK(rpma_mr_remote_get_size(remote, &bytes));
    require(bytes == BYTES, "size of the region", (int) bytes);
    /* Without it librpma refuses to flush to persistence. */
    CHECK(rpma_peer_cfg_new(&config));
    CHECK(rpma_peer_cfg_set_direct_write_to_pmem(config, true));
    CHECK(rpma_conn_apply_remote_peer_cfg(connection, config));
    CHECK(rpma_mr_reg(peer, memory, BYTES, RPMA_MR_USAGE_WRITE_SRC | RPMA_MR_USAGE_READ_DST, &mr));
    for (int i = 0; i < BLOCKS * BLOCK_BYTES; i++) {
        memory[COUNTER_BYTES + i] = expected(i);
    }
    write_blocks(connection, mr, remote);
    memset(memory, 0xA5, BYTES);
    CHECK(rpma_read(connection, mr, 0, remote, 0, BYTES, RPMA_F_COMPLETION_ALWAYS, (void *) (uintptr_t) (BLOCKS + 1)));
    await_completion(connection, BLOCKS + 1);
    compare(memory, "byte that was read");
    CHECK(rpma_conn_disconnect(connection));
    await_event(connection, RPMA_CONN_CLOSED);
    CHECK(rpma_conn_delete(&connection));
    CHECK(rpma_mr_remote_delete(&remote));
    CHECK(rpma_mr_dereg(&mr));
    CHECK(rpma_peer_cfg_delete(&config));
}

int main(int argc, char **argv) {
    int serves = argc == 4 && strcmp(argv[1], "server") == 0;
    if (argc != 4 || (!serves && strcmp(argv[1], "client") != 0)) {
        fprintf(stderr, "usage: %s server|client ADDRESS PORT\n", argv[0]);
        return 2;
    }
    struct ibv_context *context;
    struct rpma_peer *peer;
    unsigned char *memory = aligned_alloc(PAGE, (BYTES + PAGE - 1) / PAGE * PAGE);
    if (!memory) {
        perror("aligned_alloc");
        return 1;
    }
    memset(memory, 0, BYTES);
    CHECK(rpma_utils_get_ibv_context(argv[2], serves ? RPMA_UTIL_IBV_CONTEXT_LOCAL : RPMA_UTIL_IBV_CONTEXT_REMOTE, &context));
    CHECK(rpma_peer_new(context, &peer));
    (serves ? serve : ask)(peer, argv[2], argv[3], memory);
    CHECK(rpma_peer_delete(&peer));
    free(memory);
    printf("%d blocks and the counter are right\n", BLOCKS);
    return 0;
}
