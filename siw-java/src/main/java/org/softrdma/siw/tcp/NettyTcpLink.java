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
 * TCP on sockets: connects and accepts on a thread of Netty's. With epoll, an established connection leaves Netty: the device's owner
 * receives a descriptor of its own, and reads and writes it itself ({@link SocketStream}). Elsewhere Netty's NIO also transports the bytes
 * ({@link NettyStream}).
 */
public final class NettyTcpLink implements TcpLink {
    /** Smallest, first and largest read. Frames are up to 64 KiB; those that are complete in one read are not copied. */
    private static final RecvByteBufAllocator READS = new AdaptiveRecvByteBufAllocator(2048, 1 << 14, 1 << 18);
    /** Established connections that the system holds until they are accepted; it refuses more. */
    private static final int BACKLOG = 128;
    private static final int IPV4_TCP_BYTES = 20 + 32;
    private static final int IPV6_TCP_BYTES = 40 + 32;
    private static final long CLOSE_SECONDS = 2;
    private static final Pattern NUMBER = Pattern.compile("error\\(-(\\d{1,4})\\)");
    private static final Map<String, Errno> REASONS = Map.of("refused", Errno.ECONNREFUSED, "reset", Errno.ECONNRESET,
        "timed out", Errno.ETIMEDOUT, "no route", Errno.EHOSTUNREACH, "host is unreachable", Errno.EHOSTUNREACH,
        "network is unreachable", Errno.ENETUNREACH, "in use", Errno.EADDRINUSE, "assign requested address", Errno.EADDRNOTAVAIL,
        "permission denied", Errno.EACCES, "too many open files", Errno.EMFILE);

    private final int mtu;
    /** Null with NIO. */
    private final SocketStreams sockets;
    /** Null without a capture. */
    private final StreamCapture capture;
    private final EventLoopGroup loop;

    /**
     * @param mtu     of the interface: determines the length of a TCP segment
     * @param sockets where the owner reads and writes streams itself; null for NIO
     * @param capture of all streams; null for none
     */
    public NettyTcpLink(int mtu, SocketStreams sockets, StreamCapture capture) {
        this.mtu = mtu;
        this.capture = capture;
        this.sockets = sockets != null && Epoll.isAvailable() ? sockets : null;
        ThreadFactory threads = run -> DeviceThreads.newThread("softrdma-tcp", run);
        loop = new MultiThreadIoEventLoopGroup(1, threads, this.sockets != null ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    }

    @Override
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
                    connected.accept(captured(streamOn(done.channel()), (InetSocketAddress) done.channel().localAddress(), remote, true));
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

    /** Handler of a channel: the stream itself if Netty transports the bytes, otherwise one that does nothing. */
    private ChannelHandler handler(InetSocketAddress remote) {
        return byOwner() ? new ChannelInboundHandlerAdapter() : new NettyStream(emss(remote));
    }

    /**
     * Returns the stream of an established connection.
     *
     * @throws VerbsException EMFILE: the process has no more descriptors
     */
    private ByteStream streamOn(Channel channel) {
        if (!byOwner()) {
            return channel.pipeline().get(NettyStream.class);
        }
        ByteStream stream = sockets.take(((EpollSocketChannel) channel).fd().intValue());
        // Closed after Netty has handled the event that led here. Netty has not read: with ALLOW_HALF_CLOSURE and without AUTO_READ it does
        // so only if the peer has closed, and then the peer has nothing to say, as it has not received a request from us yet.
        channel.eventLoop().execute(channel::close);
        return stream;
    }

    private ByteStream captured(ByteStream stream, InetSocketAddress local, InetSocketAddress remote, boolean initiated) {
        return capture == null ? stream : capture.over(stream, local, remote, initiated);
    }

    /** Maps a failure by the error number in epoll's message; the JDK's messages are in the user's language, which may be English. */
    static Errno errnoOf(Throwable cause) {
        // A channel that cannot be created has the reason as its cause.
        for (Throwable each = cause; each != null; each = each.getCause()) {
            Errno errno = errnoOfText(String.valueOf(each.getMessage()).toLowerCase(Locale.ROOT));
            if (errno != null) {
                return errno;
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

    private static Errno errnoOfText(String text) {
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
        return null;
    }

    @Override
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
                        // The peer has left already.
                        channel.close();
                        return;
                    }
                    channel.pipeline().addLast(handler(remote));
                    try {
                        accepted.accept(captured(streamOn(channel), channel.localAddress(), remote, false), channel.localAddress(), remote);
                    } catch (VerbsException noDescriptor) {
                        channel.close();
                    }
                }
            });
        var bound = bootstrap.bind(local).awaitUninterruptibly();
        if (!bound.isSuccess()) {
            Errno errno = errnoOf(bound.cause());
            throw new VerbsException(errno, "listen", "TCP port " + local.getPort() + " at " + local.getAddress().getHostAddress()
                + (errno == Errno.EADDRINUSE ? " is another socket's" : ": " + bound.cause().getMessage()), bound.cause());
        }
        return new ListeningChannel(bound.channel());
    }

    /** A listening socket of Netty's. */
    private record ListeningChannel(Channel channel) implements Listening {
        @Override
        public InetSocketAddress address() {
            return (InetSocketAddress) channel.localAddress();
        }

        @Override
        public void close() {
            channel.close().awaitUninterruptibly();
        }
    }

    /** Estimates the payload of a full segment. Time stamps, which Linux uses, take twelve bytes of each segment. */
    private int emss(InetSocketAddress remote) {
        return Math.max(ByteStream.SMALLEST_EMSS, mtu - (remote.getAddress() instanceof Inet6Address ? IPV6_TCP_BYTES : IPV4_TCP_BYTES));
    }

    /** Closes all connections of Netty's. Called when nothing is sent any more. */
    @Override
    public void close() {
        loop.shutdownGracefully(0, CLOSE_SECONDS, TimeUnit.SECONDS).awaitUninterruptibly();
    }
}
