// SPDX-License-Identifier: Apache-2.0
/*
 * A program that receives signals: 5000 a second while it creates and destroys objects, and single ones while it waits for an event of
 * the connection manager.
 *
 *   signals ADDRESS
 */
#include <arpa/inet.h>
#include <errno.h>
#include <infiniband/verbs.h>
#include <pthread.h>
#include <rdma/rdma_cma.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <unistd.h>

enum { ROUNDS = 100, STORM_US = 200, LATER_US = 200000, TIMEOUT_MS = 2000 };

static volatile sig_atomic_t signals;

static void require(int right, const char *what) {
    if (!right) {
        perror(what);
        exit(1);
    }
}

static void count(int signal) {
    (void) signal;
    signals++;
}

static void alarm_at(int flags, long first_us, long every_us) {
    struct sigaction action = {.sa_handler = count, .sa_flags = flags};
    struct itimerval timer = {.it_value.tv_usec = first_us, .it_interval.tv_usec = every_us};
    sigaction(SIGALRM, &action, NULL);
    signals = 0;
    setitimer(ITIMER_REAL, &timer, NULL);
}

/* Objects of each kind: a call that is executed twice leaves one behind, and the object below it cannot be destroyed. */
static void objects(struct ibv_context *context) {
    static char memory[4096];
    struct ibv_pd *pd = ibv_alloc_pd(context);
    require(pd != NULL, "ibv_alloc_pd");
    struct ibv_mr *mr = ibv_reg_mr(pd, memory, sizeof memory, IBV_ACCESS_LOCAL_WRITE);
    require(mr != NULL, "ibv_reg_mr");
    struct ibv_comp_channel *channel = ibv_create_comp_channel(context);
    require(channel != NULL, "ibv_create_comp_channel");
    struct ibv_cq *cq = ibv_create_cq(context, 16, NULL, channel, 0);
    require(cq != NULL, "ibv_create_cq");
    require((errno = ibv_req_notify_cq(cq, 0)) == 0, "ibv_req_notify_cq");
    struct ibv_qp_init_attr init = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 4, .max_recv_wr = 4, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *qp = ibv_create_qp(pd, &init);
    require(qp != NULL, "ibv_create_qp");
    struct ibv_qp_attr attr = {.qp_state = IBV_QPS_INIT, .port_num = 1};
    require((errno = ibv_modify_qp(qp, &attr, IBV_QP_STATE | IBV_QP_PKEY_INDEX | IBV_QP_PORT | IBV_QP_ACCESS_FLAGS)) == 0, "ibv_modify_qp");
    require((errno = ibv_destroy_qp(qp)) == 0, "ibv_destroy_qp");
    require((errno = ibv_destroy_cq(cq)) == 0, "ibv_destroy_cq");
    require((errno = ibv_destroy_comp_channel(channel)) == 0, "ibv_destroy_comp_channel");
    require((errno = ibv_dereg_mr(mr)) == 0, "ibv_dereg_mr");
    require((errno = ibv_dealloc_pd(pd)) == 0, "ibv_dealloc_pd");
}

struct later {
    struct rdma_cm_id *id;
    struct sockaddr_in address;
};

/* Raises an event when the signal is long over; the signal is for the first thread. */
static void *resolve(void *argument) {
    struct later *later = argument;
    usleep(3 * LATER_US);
    require(rdma_resolve_addr(later->id, NULL, (struct sockaddr *) &later->address, TIMEOUT_MS) == 0, "rdma_resolve_addr");
    return NULL;
}

int main(int arguments, char **argument) {
    require(arguments == 2, "one argument: ADDRESS");
    struct ibv_device **devices = ibv_get_device_list(NULL);
    struct ibv_context *context = devices && devices[0] ? ibv_open_device(devices[0]) : NULL;
    require(context != NULL, "ibv_open_device");
    alarm_at(SA_RESTART, STORM_US, STORM_US);
    for (int i = 0; i < ROUNDS; i++) {
        objects(context);
    }
    int storm = signals;
    alarm_at(0, 0, 0);
    require(storm > 0, "no signal came");
    require(ibv_close_device(context) == 0, "ibv_close_device");
    ibv_free_device_list(devices);

    struct rdma_event_channel *channel = rdma_create_event_channel();
    struct later later = {.address.sin_family = AF_INET};
    require(channel != NULL && rdma_create_id(channel, &later.id, NULL, RDMA_PS_TCP) == 0, "rdma_create_id");
    require(inet_pton(AF_INET, argument[1], &later.address.sin_addr) == 1, "ADDRESS");
    struct rdma_cm_event *event;
    alarm_at(0, LATER_US, 0);
    require(rdma_get_cm_event(channel, &event) == -1 && errno == EINTR && signals == 1, "rdma_get_cm_event with a signal");
    printf("interrupted\n");
    pthread_t thread;
    sigset_t alarm;
    sigemptyset(&alarm);
    sigaddset(&alarm, SIGALRM);
    pthread_sigmask(SIG_BLOCK, &alarm, NULL);
    require(pthread_create(&thread, NULL, resolve, &later) == 0, "pthread_create");
    pthread_sigmask(SIG_UNBLOCK, &alarm, NULL);
    alarm_at(SA_RESTART, LATER_US, 0);
    require(rdma_get_cm_event(channel, &event) == 0 && event->event == RDMA_CM_EVENT_ADDR_RESOLVED && signals == 1,
        "rdma_get_cm_event with SA_RESTART");
    printf("restarted\n");
    rdma_ack_cm_event(event);
    pthread_join(thread, NULL);
    require(rdma_destroy_id(later.id) == 0, "rdma_destroy_id");
    rdma_destroy_event_channel(channel);
    return 0;
}
