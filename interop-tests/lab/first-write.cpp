// SPDX-License-Identifier: Apache-2.0
/*
 * A text written into the memory of another process, as tutorials begin. The server offers memory: it sends its address and key. The client
 * writes into it by RDMA WRITE, and says so by a message. first-write.py does the same.
 *
 *   first-write ADDRESS PORT         server, for one client
 *   first-write ADDRESS PORT TEXT    client
 */
#include <rdma/rdma_cma.h>
#include <rdma/rdma_verbs.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <endian.h>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>

namespace {

constexpr std::size_t kTextBytes = 64;

/// Message of the server, in network byte order.
struct [[gnu::packed]] Offer {
    std::uint64_t address;
    std::uint32_t rkey;
};

void require(bool right, const char *call) {
    if (!right) {
        throw std::system_error(errno, std::generic_category(), call);
    }
}

struct Destroy {
    void operator()(rdma_cm_id *id) const { rdma_destroy_ep(id); }
    void operator()(ibv_mr *mr) const { rdma_dereg_mr(mr); }
    void operator()(rdma_addrinfo *address) const { rdma_freeaddrinfo(address); }
};

template <typename T>
using Owned = std::unique_ptr<T, Destroy>;

/// One connection, or one listener.
class Endpoint {
public:
    Endpoint(const char *address, const char *port, int flags) {
        rdma_addrinfo hints{}, *found = nullptr;
        hints.ai_flags = flags;
        hints.ai_port_space = RDMA_PS_TCP;
        require(rdma_getaddrinfo(address, port, &hints, &found) == 0, "rdma_getaddrinfo");
        Owned<rdma_addrinfo> release(found);
        ibv_qp_init_attr attributes{};
        attributes.cap = {2, 2, 1, 1, 0};
        attributes.sq_sig_all = 1;
        rdma_cm_id *made = nullptr;
        require(rdma_create_ep(&made, found, nullptr, &attributes) == 0, "rdma_create_ep");
        id_.reset(made);
    }

    explicit Endpoint(rdma_cm_id *connected) : id_(connected) {}

    rdma_cm_id *id() const { return id_.get(); }

    template <typename T>
    Owned<ibv_mr> expose(T &memory) const {
        Owned<ibv_mr> mr(rdma_reg_write(id(), &memory, sizeof memory));
        require(mr != nullptr, "rdma_reg_write");
        return mr;
    }

    void post_receive(const ibv_mr *mr) const {
        require(rdma_post_recv(id(), nullptr, mr->addr, mr->length, const_cast<ibv_mr *>(mr)) == 0, "rdma_post_recv");
    }

    void await_receive() const { await(rdma_get_recv_comp, "receive"); }

    void send(const ibv_mr *mr) const {
        require(rdma_post_send(id(), nullptr, mr->addr, mr->length, const_cast<ibv_mr *>(mr), 0) == 0, "rdma_post_send");
        await(rdma_get_send_comp, "send");
    }

    void write(const ibv_mr *mr, std::uint64_t address, std::uint32_t rkey) const {
        require(rdma_post_write(id(), nullptr, mr->addr, mr->length, const_cast<ibv_mr *>(mr), 0, address, rkey) == 0, "rdma_post_write");
        await(rdma_get_send_comp, "write");
    }

private:
    void await(int (*completion)(rdma_cm_id *, ibv_wc *), const char *what) const {
        ibv_wc wc{};
        require(completion(id(), &wc) == 1, what);
        if (wc.status != IBV_WC_SUCCESS) {
            throw std::runtime_error(std::string(what) + ": " + ibv_wc_status_str(wc.status));
        }
    }

    Owned<rdma_cm_id> id_;
};

void serve(const char *address, const char *port) {
    Endpoint listener(address, port, RAI_PASSIVE);
    require(rdma_listen(listener.id(), 1) == 0, "rdma_listen");
    rdma_cm_id *request = nullptr;
    require(rdma_get_request(listener.id(), &request) == 0, "rdma_get_request");
    Endpoint client(request);

    std::array<char, kTextBytes> text{};
    char done = 0;
    Offer offer{};
    auto text_mr = client.expose(text), done_mr = client.expose(done), offer_mr = client.expose(offer);
    offer = {htobe64(reinterpret_cast<std::uintptr_t>(text.data())), htobe32(text_mr->rkey)};

    client.post_receive(done_mr.get());
    require(rdma_accept(client.id(), nullptr) == 0, "rdma_accept");
    client.send(offer_mr.get());
    client.await_receive();
    std::cout << "written here: " << text.data() << std::endl;
    rdma_disconnect(client.id());
}

void ask(const char *address, const char *port, const std::string &words) {
    Endpoint server(address, port, 0);
    std::array<char, kTextBytes> text{};
    words.copy(text.data(), kTextBytes - 1);
    char done = 1;
    Offer offer{};
    auto text_mr = server.expose(text), done_mr = server.expose(done), offer_mr = server.expose(offer);

    server.post_receive(offer_mr.get());
    require(rdma_connect(server.id(), nullptr) == 0, "rdma_connect");
    server.await_receive();
    server.write(text_mr.get(), be64toh(offer.address), be32toh(offer.rkey));
    server.send(done_mr.get());
    rdma_disconnect(server.id());
}

} // namespace

int main(int argc, char **argv) {
    try {
        if (argc == 3) {
            serve(argv[1], argv[2]);
        } else if (argc == 4) {
            ask(argv[1], argv[2], argv[3]);
        } else {
            std::cerr << "usage: " << argv[0] << " ADDRESS PORT [TEXT]" << std::endl;
            return 2;
        }
        return 0;
    } catch (const std::exception &failed) {
        std::cerr << failed.what() << std::endl;
        return 1;
    }
}
