// SPDX-License-Identifier: Apache-2.0
package org.softrdma.siw.tcp;

import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.AdaptiveRecvByteBufAllocator;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandler;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.ConnectTimeoutException;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.RecvByteBufAllocator;
import io.netty.channel.ServerChannel;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.epoll.EpollSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.channel.socket.nio.NioSocketChannel;
import java.net.BindException;
import java.net.ConnectException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.NoRouteToHostException;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.softrdma.device.threads.DeviceThreads;
import org.softrdma.verbs.Errno;
import org.softrdma.verbs.VerbsException;

/**
 * TCP for a device: makes connections and takes those that come, on a thread of Netty's. With epoll, a connection that is made leaves
 * Netty: the device's owner gets a descriptor of its own and reads and writes by itself ({@link SocketStream}). Elsewhere NIO carries the
 * bytes, too ({@link NettyStream}).
 */
public final class TcpLink implements AutoCloseable {
    /** From the least to the most bytes read at once. Frames are up to 64 KiB, and those that one read brings whole are not copied. */
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(2048, 1 << 14, 1 << 18);
    /** Connections the system holds that nobody has taken yet; more are refused by it. */
    private static final int BACKLOG = 128;
    private static final int IPV4_TCP_BYTES = 20 + 32;
    private static final int IPV6_TCP_BYTES = 40 + 32;
    private static final long CLOSE_SECONDS = 2;
    private static final Pattern NUMBER = Pattern.compile("error\\(-(\\d{1,4})\\)");
    private static final Map<String, Errno> REASONS = Map.of("refused", Errno.ECONNREFUSED, "reset", Errno.ECONNRESET,
        "timed out", Errno.ETIMEDOUT, "no route", Errno.EHOSTUNREACH, "host is unreachable", Errno.EHOSTUNREACH,
        "network is unreachable", Errno.ENETUNREACH, "in use", Errno.EADDRINUSE, "assign requested address", Errno.EADDRNOTAVAIL,
        "permission denied", Errno.EACCES);

    private final int mtu;
    /** Null with NIO. */
    private final SocketStreams sockets;
    private final EventLoopGroup loop;

    /**
     * @param mtu     of the interface: says how long a TCP segment can be
     * @param sockets where streams are to be read and written by their owner; null for NIO
     */
    public TcpLink(int mtu, SocketStreams sockets) {
        this.mtu = mtu;
        this.sockets = Epoll.isAvailable() ? sockets : null;
        ThreadFactory threads = run -> DeviceThreads.newThread("softrdma-tcp", run);
        loop = new MultiThreadIoEventLoopGroup(1, threads, this.sockets != null ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    /**
     * Connects.
     *
     * @param local     address to come from; port 0 for any
     * @param timeoutNs the peer's TCP may take so long for its answer, at least a millisecond; then the reason is ETIMEDOUT
     * @param connected called with the stream, on the link's thread
     * @param refused   called with the reason instead, on the link's thread
     */
    public void connect(InetSocketAddress local, InetSocketAddress remote, long timeoutNs, Consumer<ByteStream> connected,
            Consumer<Errno> refused) {
        Bootstrap bootstrap = new Bootstrap().group(loop).channel(byOwner() ? EpollSocketChannel.class : NioSocketChannel.class)
            .option(ChannelOption.TCP_NODELAY, true).option(ChannelOption.RECVBUF_ALLOCATOR, READS)
            .option(ChannelOption.ALLOW_HALF_CLOSURE, true).option(ChannelOption.AUTO_CLOSE, false)
            .option(ChannelOption.AUTO_READ, !byOwner()).option(ChannelOption.SO_REUSEADDR, true)
            .option(ChannelOption.CONNECT_TIMEOUT_MILLIS, (int) TimeUnit.NANOSECONDS.toMillis(timeoutNs)).handler(handler(remote));
        bootstrap.connect(remote, local).addListener((ChannelFuture done) -> {
            try {
                if (done.isSuccess()) {
                    connected.accept(streamOn(done.channel()));
                } else {
                    refused.accept(errnoOf(done.cause()));
                }
            } catch (VerbsException noDescriptor) {
                done.channel().close();
                refused.accept(noDescriptor.errno());
            }
        });
    }

    private boolean byOwner() {
        return sockets != null;
    }

    /** What carries the bytes, if that is Netty; else nothing is to happen. */
    private ChannelHandler handler(InetSocketAddress remote) {
        return byOwner() ? new ChannelInboundHandlerAdapter() : new NettyStream(emss(remote));
    }

    /**
     * The stream of a connection that is made.
     *
     * @throws VerbsException ENOMEM: the process has no more descriptors
     */
    private ByteStream streamOn(Channel channel) {
        if (!byOwner()) {
            return channel.pipeline().get(NettyStream.class);
        }
        ByteStream stream = sockets.take(((EpollSocketChannel) channel).fd().intValue());
        // Not before Netty has dealt with the event that brought us here. It has not read: with ALLOW_HALF_CLOSURE and without AUTO_READ
        // it does so only for a peer that has closed, which then has nothing to say, as we have not asked it yet.
        channel.eventLoop().execute(channel::close);
        return stream;
    }

    /** Epoll's sockets tell the number. The JDK's tell what the system says in its user's language, and it may be English. */
    static Errno errnoOf(Throwable cause) {
        String text = String.valueOf(cause.getMessage()).toLowerCase(Locale.ROOT);
        Matcher number = NUMBER.matcher(text);
        if (number.find()) {
            Errno errno = Errno.of(Integer.parseInt(number.group(1)));
            return errno != null ? errno : Errno.EIO;
        }
        for (Map.Entry<String, Errno> each : REASONS.entrySet()) {
            if (text.contains(each.getKey())) {
                return each.getValue();
            }
        }
        return switch (cause) {
            case ConnectTimeoutException late -> Errno.ETIMEDOUT;
            case NoRouteToHostException noWay -> Errno.EHOSTUNREACH;
            case ConnectException refused -> Errno.ECONNREFUSED;
            case BindException taken -> Errno.EADDRINUSE;
            default -> Errno.EIO;
        };
    }

    /**
     * Listens.
     *
     * @param accepted called with each new stream, on the link's thread
     * @return what to close when it is over; the streams stay
     * @throws VerbsException EADDRINUSE, EADDRNOTAVAIL; EACCES: a port that programs without privileges cannot have
     */
    public Listening listen(InetSocketAddress local, Accepted accepted) {
        Class<? extends ServerChannel> type = byOwner() ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
        ServerBootstrap bootstrap = new ServerBootstrap().group(loop).channel(type).option(ChannelOption.SO_BACKLOG, BACKLOG)
            .option(ChannelOption.SO_REUSEADDR, true).childOption(ChannelOption.TCP_NODELAY, true)
            .childOption(ChannelOption.RECVBUF_ALLOCATOR, READS).childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
            .childOption(ChannelOption.AUTO_CLOSE, false).childOption(ChannelOption.AUTO_READ, !byOwner())
            .childHandler(new ChannelInitializer<SocketChannel>() {
                @Override
                protected void initChannel(SocketChannel channel) {
                    InetSocketAddress remote = channel.remoteAddress();
                    if (remote == null) {
                        // It is gone already.
                        channel.close();
                        return;
                    }
                    channel.pipeline().addLast(handler(remote));
                    try {
                        accepted.accept(streamOn(channel), channel.localAddress(), remote);
                    } catch (VerbsException noDescriptor) {
                        channel.close();
                    }
                }
            });
        var bound = bootstrap.bind(local).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            throw new VerbsException(errnoOf(bound.cause()), "listen", "TCP port " + local.getPort() + " at "
                + local.getAddress().getHostAddress() + ": " + bound.cause().getMessage(), bound.cause());
        }
        return new Listening(bound.channel());
    }

    /** Takes a new stream. */
    public interface Accepted {
        void accept(ByteStream stream, InetSocketAddress local, InetSocketAddress remote);
    }

    /** A port that is listened at. */
    public record Listening(Channel channel) implements AutoCloseable {
        public InetSocketAddress address() {
            return (InetSocketAddress) channel.localAddress();
        }

        @Override
        public void close() {
            channel.close().awaitUninterruptibly();
        }
    }

    /** A guess. Time stamps take twelve bytes of every segment, where the system uses them: Linux does. */
    private int emss(InetSocketAddress remote) {
        return Math.max(ByteStream.SMALLEST_EMSS, mtu - (remote.getAddress() instanceof Inet6Address ? IPV6_TCP_BYTES : IPV4_TCP_BYTES));
    }

    /** Ends all connections; nobody sends any more. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
