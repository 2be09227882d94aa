package sim

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"net"
	"strconv"
	"strings"
	"sync"
)

// DefaultDiscoveryAddr is where ServeDiscovery listens unless told otherwise: the port
// that is asked, on this machine only.
const DefaultDiscoveryAddr = "127.0.0.1:30303"

// discoveryRequest is the one datagram that is answered.
const discoveryRequest = "Discovery: Who is out there?\x00\n"

// ServeDiscovery listens on addr (empty = DefaultDiscoveryAddr, port 0 = any) for those
// who ask which modules there are, and answers each of them until ctx is done. It returns
// the address at once; wait returns when it listens no more. The answer names the address
// of ServeTCP, so begin that first.
func (m *Module) ServeDiscovery(ctx context.Context, addr string) (bound string, wait func() error, err error) {
	if addr == "" {
		addr = DefaultDiscoveryAddr
	}
	var lc net.ListenConfig
	conn, err := lc.ListenPacket(ctx, "udp4", addr)
	if err != nil {
		return "", nil, fmt.Errorf("let the emulated module be discovered: %w; choose another address", err)
	}
	var wg sync.WaitGroup
	var failed error
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	wg.Go(func() {
		defer stop()
		failed = errors.Join(m.answerWhoAsks(ctx, conn), closed(conn))
	})
	return conn.LocalAddr().String(), func() error {
		wg.Wait()
		return failed
	}, nil
}

// closed closes conn, which may be closed already.
func closed(conn net.PacketConn) error {
	if err := conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return fmt.Errorf("stop being discovered: %w", err)
	}
	return nil
}

func (m *Module) answerWhoAsks(ctx context.Context, conn net.PacketConn) error {
	buf := make([]byte, 64) // more than the question has
	for {
		n, from, err := conn.ReadFrom(buf)
		switch {
		case ctx.Err() != nil || errors.Is(err, net.ErrClosed):
			return nil //nolint:nilerr // we closed it
		case err != nil:
			return fmt.Errorf("be discovered on %s: %w", conn.LocalAddr(), err)
		}
		answer := m.discovered(buf[:n])
		if answer == nil {
			continue
		}
		// Who cannot be reached has gone; the next may be there.
		_, _ = conn.WriteTo(answer, from)
	}
}

// discovered returns the answer to a datagram, nil if there is none: a name as old
// clients want it, the MAC as text, then a code and a value a line, each ended by CR LF.
func (m *Module) discovered(datagram []byte) []byte {
	if string(datagram) != discoveryRequest || m.away() || m.silent() || m.restarting.lasts(m.opts.Now()) {
		return nil
	}
	o := m.opts
	ip, port := m.address()
	mac := macOf(o.Serial)
	fields := []struct {
		code  byte
		value string
	}{
		{0x02, string(mac)},
		{0x03, "MAC"},
		{0x04, hostName(o.Serial)},
		{0x05, string(ip)},
		{0x80, o.Firmware},
		{0x81, bootloaderVersion},
		{0x82, fpgaVersion},
		{0x83, strings.TrimPrefix(o.BoardSerial, "QTL")},
		{0x84, "80"},
		{0x85, port},
		{0x86, o.Serial},
		{0x87, strconv.Itoa(o.Position)},
		{0x88, o.Alias},
		{0x89, o.Model},
		{0x8a, "23"},
		{0x8c, o.Dialect.Fixture},
		{0x8d, fixtureFPGA(o.Dialect.Fixture)},
	}
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s\r\n%s\r\n", hostName(o.Serial), macText(mac))
	for _, f := range fields {
		if f.value != "" {
			b.WriteByte(f.code)
			b.WriteString(f.value + "\r\n")
		}
	}
	return b.Bytes()
}

// address returns where the module's TCP clients go. Who listens on every address is
// found on this machine's own.
func (m *Module) address() (ip net.IP, port string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ip, port = net.IPv4(127, 0, 0, 1), "9760"
	if host, p, err := net.SplitHostPort(m.tcpAddr); err == nil {
		port = p
		if at := net.ParseIP(host).To4(); at != nil && !at.IsUnspecified() {
			ip = at
		}
	}
	return ip.To4(), port
}

// macOf makes an address of the maker's from a serial number.
func macOf(serial string) net.HardwareAddr {
	h := fnv.New32a()
	h.Write([]byte(serial))
	n := h.Sum32()
	return net.HardwareAddr{0x00, 0x04, 0xA3, byte(n >> 16), byte(n >> 8), byte(n)}
}

func macText(mac net.HardwareAddr) string {
	return strings.ToUpper(strings.ReplaceAll(mac.String(), ":", "-"))
}

func hostName(serial string) string { return "QTL" + strings.TrimPrefix(serial, "QTL") }

func fixtureFPGA(fixture string) string {
	if fixture == "" {
		return ""
	}
	return fpgaVersion
}
