// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.ServerChannel;
import io.netty.channel.WriteBufferWaterMark;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/** TCP for a device: Netty with epoll where there is one, with NIO elsewhere. One thread moves the bytes of all its connections. */
final class TcpLink implements AutoCloseable {
    /** Bytes on their way into the socket: above the first the stream takes no more, below the second it does again. */
    private static final WriteBufferWaterMark ROOM = new WriteBufferWaterMark(1 << 17, 1 << 18);
    /** Connections the system holds that nobody has taken yet; more are refused by it. */
    private static final int BACKLOG = 128;
    private static final int IPV4_TCP_BYTES = 20 + 32;
    private static final int IPV6_TCP_BYTES = 40 + 32;
    private static final int SMALLEST_EMSS = 536;
    private static final long CLOSE_SECONDS = 2;

    private final int mtu;
    private final boolean epoll;
    private final EventLoopGroup loop;

    /**
     * @param mtu   of the interface: says how long a TCP segment can be
     * @param epoll false for NIO where there would be epoll
     */
    TcpLink(int mtu, boolean epoll) {
        this.mtu = mtu;
        this.epoll = epoll && Epoll.isAvailable();
        loop = new MultiThreadIoEventLoopGroup(1, this.epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    /** @param mtu as above */
    static TcpLink open(int mtu) {
        return new TcpLink(mtu, true);
    }

    /**
     * Connects.
     *
     * @param local     address to come from; port 0 for any
     * @param connected called with the stream, on the link's thread
     * @param refused   called with the reason instead, on the link's thread
     */
    void connect(InetSocketAddress local, InetSocketAddress remote, Consumer<ByteStream> connected, Consumer<Throwable> refused) {
        NettyStream stream = new NettyStream(emss(remote));
        Bootstrap bootstrap = new Bootstrap().group(loop).channel(epoll ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true).option(ChannelOption.WRITE_BUFFER_WATER_MARK, ROOM)
            .option(ChannelOption.SO_REUSEADDR, true).handler(stream);
        bootstrap.connect(remote, local).addListener(done -> {
            if (done.isSuccess()) {
                connected.accept(stream);
            } else {
                refused.accept(done.cause());
            }
        });
    }

    /**
     * Listens.
     *
     * @param accepted called with each new stream, on the link's thread
     * @return what to close when it is over; the streams stay
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL
     */
    Listening listen(InetSocketAddress local, Consumer<ByteStream> accepted) {
        Class<? extends ServerChannel> type = epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        ServerBootstrap bootstrap = new ServerBootstrap().group(loop).channel(type).option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true).childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.WRITE_BUFFER_WATER_MARK, ROOM).childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    NettyStream stream = new NettyStream(emss(channel.remoteAddress()));
                    channel.pipeline().addLast(stream);
                    accepted.accept(stream);
                }
            });
        var bound = bootstrap.bind(local).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            // The two kinds of sockets throw different things, but say the same.
            boolean inUse = String.valueOf(bound.cause().getMessage()).contains("in use");
            throw new VerbsException(inUse ? Errno.EADDRINUSE : Errno.EADDRNOTAVAIL, "listen", local + ": " + bound.cause().getMessage(),
                bound.cause());
        }
        return new Listening(bound.channel());
    }

    /** A port that is listened at. */
    record Listening(Channel channel) implements AutoCloseable {
        InetSocketAddress address() {
            return (InetSocketAddress) channel.localAddress();
        }

        @Override
        public void close() {
            channel.close().awaitUninterruptibly();
        }
    }

    /** Time stamps take twelve bytes of every segment, where the system uses them: Linux does. */
    private int emss(InetSocketAddress remote) {
        return Math.max(SMALLEST_EMSS, mtu - (remote.getAddress() instanceof Inet6Address ? IPV6_TCP_BYTES : IPV4_TCP_BYTES));
    }

    /** Ends all connections. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
