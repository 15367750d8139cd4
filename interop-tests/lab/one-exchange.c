// SPDX-License-Identifier: Apache-2.0
/*
 * One message each way by a connection of its own: a client opens the device, connects, sends, compares the answer and ends. The server
 * answers as many clients as it is told, one after the other, each byte greater by one.
 *
 *   one-exchange ADDRESS PORT CLIENTS     server
 *   one-exchange ADDRESS PORT             client
 */
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BYTES = 5000, BACKLOG = 128 };

static unsigned char sent[BYTES], received[BYTES];

static void require(int right, const char *what) {
    if (!right) {
        perror(what);
        exit(1);
    }
}

static struct ibv_mr *registered(struct rdma_cm_id *id, void *memory) {
    struct ibv_mr *mr = rdma_reg_msgs(id, memory, BYTES);
    require(mr != NULL, "rdma_reg_msgs");
    return mr;
}

static void send_and_wait(struct rdma_cm_id *id, struct ibv_mr *mr) {
    struct ibv_wc wc;
    require(rdma_post_send(id, NULL, sent, BYTES, mr, 0) == 0, "rdma_post_send");
    require(rdma_get_send_comp(id, &wc) == 1 && wc.status == IBV_WC_SUCCESS, "completion of the SEND");
}

static void receive(struct rdma_cm_id *id) {
    struct ibv_wc wc;
    require(rdma_get_recv_comp(id, &wc) == 1 && wc.status == IBV_WC_SUCCESS && wc.byte_len == BYTES, "completion of the receive");
}

static void answer(struct rdma_cm_id *id) {
    struct ibv_mr *out = registered(id, sent), *in = registered(id, received);
    require(rdma_post_recv(id, NULL, received, BYTES, in) == 0, "rdma_post_recv");
    require(rdma_accept(id, NULL) == 0, "rdma_accept");
    receive(id);
    for (int i = 0; i < BYTES; i++) {
        sent[i] = received[i] + 1;
    }
    send_and_wait(id, out);
    rdma_disconnect(id);
    rdma_dereg_mr(out);
    rdma_dereg_mr(in);
    rdma_destroy_ep(id);
}

static void ask(struct rdma_cm_id *id) {
    struct ibv_mr *out = registered(id, sent), *in = registered(id, received);
    for (int i = 0; i < BYTES; i++) {
        sent[i] = rand();
    }
    require(rdma_post_recv(id, NULL, received, BYTES, in) == 0, "rdma_post_recv");
    require(rdma_connect(id, NULL) == 0, "rdma_connect");
    send_and_wait(id, out);
    receive(id);
    for (int i = 0; i < BYTES; i++) {
        if (received[i] != (unsigned char) (sent[i] + 1)) {
            fprintf(stderr, "byte %d differs\n", i);
            exit(1);
        }
    }
    rdma_disconnect(id);
    rdma_dereg_mr(out);
    rdma_dereg_mr(in);
    rdma_destroy_ep(id);
}

int main(int argc, char **argv) {
    if (argc < 3) {
        fprintf(stderr, "usage: %s ADDRESS PORT [CLIENTS]\n", argv[0]);
        return 2;
    }
    int clients = argc > 3 ? atoi(argv[3]) : 0;
    struct rdma_addrinfo hints = {.ai_flags = clients ? RAI_PASSIVE : 0, .ai_port_space = RDMA_PS_TCP}, *address;
    struct ibv_qp_init_attr attributes = {.cap = {1, 1, 1, 1, 0}, .sq_sig_all = 1};
    struct rdma_cm_id *id, *connected;
    require(rdma_getaddrinfo(argv[1], argv[2], &hints, &address) == 0, "rdma_getaddrinfo");
    require(rdma_create_ep(&id, address, NULL, &attributes) == 0, "rdma_create_ep");
    rdma_freeaddrinfo(address);
    if (!clients) {
        srand(atoi(argv[2]));
        ask(id);
        return 0;
    }
    require(rdma_listen(id, BACKLOG) == 0, "rdma_listen");
    for (int i = 0; i < clients; i++) {
        require(rdma_get_request(id, &connected) == 0, "rdma_get_request");
        answer(connected);
    }
    rdma_destroy_ep(id);
    printf("answered %d clients\n", clients);
    return 0;
}
