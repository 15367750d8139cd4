// SPDX-License-Identifier: Apache-2.0
//
// calls FILE    prints what control calls cost, one line for each kind:
//     @ us.KIND n        microseconds, median
//
// FILE is an ordinary file. Kinds that need a device are left out where there is none.

#include <fcntl.h>
#include <infiniband/verbs.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

// The first calls are not counted: the device's process compiles what they run.
enum { WARM = 1000, COUNT = 1000, PAGE = 4096 };

static const char *const device_file = "/dev/infiniband/uverbs0";
static const char *file;
static struct ibv_device *device;
static struct ibv_context *context;
static struct ibv_pd *pd;
static struct ibv_cq *cq;
static void *page;

static int compare(const void *a, const void *b) {
    double difference = *(const double *) a - *(const double *) b;
    return (difference > 0) - (difference < 0);
}

static double now_us(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1e6 + now.tv_nsec / 1e3;
}

static void measure(const char *kind, int (*call)(void)) {
    static double us[COUNT];
    for (int i = -WARM; i < COUNT; i++) {
        double start = now_us();
        int failed = call();
        double taken = now_us() - start;
        if (failed) {
            perror(kind);
            exit(1);
        }
        if (i >= 0) {
            us[i] = taken;
        }
    }
    qsort(us, COUNT, sizeof us[0], compare);
    printf("@ us.%s %.3f\n", kind, us[COUNT / 2]);
}

// A system call that nobody traps.
static int call_getppid(void) {
    return syscall(SYS_getppid) < 0;
}

static int call_stat(void) {
    struct stat status;
    return stat(file, &status);
}

static int call_stat_ours(void) {
    struct stat status;
    return stat(device_file, &status);
}

static int open_and_close(const char *path, int flags) {
    int fd = open(path, flags);
    return fd < 0 || close(fd);
}

static int call_open(void) {
    return open_and_close(file, O_RDONLY);
}

static int call_open_ours(void) {
    return open_and_close(device_file, O_RDWR);
}

static int call_context(void) {
    struct ibv_context *opened = ibv_open_device(device);
    return !opened || ibv_close_device(opened);
}

static int call_query_port(void) {
    struct ibv_port_attr attributes;
    return ibv_query_port(context, 1, &attributes);
}

static int call_pd(void) {
    struct ibv_pd *made = ibv_alloc_pd(context);
    return !made || ibv_dealloc_pd(made);
}

static int call_mr(void) {
    struct ibv_mr *made = ibv_reg_mr(pd, page, PAGE, IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE);
    return !made || ibv_dereg_mr(made);
}

static int call_cq(void) {
    struct ibv_cq *made = ibv_create_cq(context, 16, NULL, NULL, 0);
    return !made || ibv_destroy_cq(made);
}

static int call_qp(void) {
    struct ibv_qp_init_attr attributes = {.send_cq = cq, .recv_cq = cq, .qp_type = IBV_QPT_RC,
        .cap = {.max_send_wr = 16, .max_recv_wr = 16, .max_send_sge = 1, .max_recv_sge = 1}};
    struct ibv_qp *made = ibv_create_qp(pd, &attributes);
    return !made || ibv_destroy_qp(made);
}

static void *require(const char *what, void *made) {
    if (!made) {
        perror(what);
        exit(1);
    }
    return made;
}

static void measure_device(void) {
    measure("stat_ours", call_stat_ours);
    measure("open_ours", call_open_ours);
    measure("context", call_context);
    context = require("ibv_open_device", ibv_open_device(device));
    pd = require("ibv_alloc_pd", ibv_alloc_pd(context));
    cq = require("ibv_create_cq", ibv_create_cq(context, 16, NULL, NULL, 0));
    page = require("aligned_alloc", aligned_alloc(PAGE, PAGE));
    measure("query_port", call_query_port);
    measure("pd", call_pd);
    measure("mr", call_mr);
    measure("cq", call_cq);
    measure("qp", call_qp);
}

int main(int count, char **arguments) {
    if (count != 2) {
        fprintf(stderr, "usage: calls FILE\n");
        return 2;
    }
    file = arguments[1];
    measure("getppid", call_getppid);
    measure("stat", call_stat);
    measure("open", call_open);
    int devices = 0;
    struct ibv_device **list = ibv_get_device_list(&devices);
    if (list && devices > 0) {
        device = list[0];
        measure_device();
    }
    return 0;
}
