package lan

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"
	"time"
)

// DiscoveryPort is the UDP port that modules listen on.
const DiscoveryPort = "30303"

// DiscoveryRequest is the whole payload of the question.
const DiscoveryRequest = "Discovery: Who is out there?\x00\n"

// answerTime is how long answers are waited for where ctx sets no end.
const answerTime = time.Second

// Found is a module that answered.
type Found struct {
	Address string // host:port to Dial
	Serial  string // as known to users: the enclosure's where there is one
	Product string // as hello? says
	Name    string // host name
	MAC     string // as text, 00-04-A3-…
}

// Discover asks everybody on broadcastAddr ("255.255.255.255", or with a port)
// and returns who answered until ctx is done, or within a second where ctx has
// no deadline, ordered by serial number.
func Discover(ctx context.Context, broadcastAddr string) ([]Found, error) {
	if _, _, err := net.SplitHostPort(broadcastAddr); err != nil {
		broadcastAddr = net.JoinHostPort(broadcastAddr, DiscoveryPort)
	}
	to, err := net.ResolveUDPAddr("udp4", broadcastAddr)
	if err != nil {
		return nil, fmt.Errorf("discover modules on %s: %w", broadcastAddr, err)
	}
	conn, err := net.ListenUDP("udp4", nil)
	if err != nil {
		return nil, fmt.Errorf("discover modules: %w", err)
	}
	defer func() { _ = conn.Close() }() // closed before if ctx has ended
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	if _, has := ctx.Deadline(); !has {
		if err := conn.SetReadDeadline(time.Now().Add(answerTime)); err != nil {
			return nil, fmt.Errorf("discover modules: %w", err)
		}
	}
	if _, err := conn.WriteToUDP([]byte(DiscoveryRequest), to); err != nil {
		return nil, fmt.Errorf("discover modules on %s: %w", broadcastAddr, err)
	}
	return listen(conn)
}

func listen(conn *net.UDPConn) ([]Found, error) {
	found := map[string]Found{}
	buf := make([]byte, 2048)
	for {
		n, from, err := conn.ReadFromUDP(buf)
		if errors.Is(err, os.ErrDeadlineExceeded) || errors.Is(err, net.ErrClosed) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("discover modules: %w", err)
		}
		if f, ok := ParseAnswer(buf[:n], from.IP.String()); ok {
			found[f.Address] = f
		}
	}
	list := make([]Found, 0, len(found))
	for _, f := range found {
		list = append(list, f)
	}
	slices.SortFunc(list, func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.Serial, b.Serial), cmp.Compare(a.Address, b.Address))
	})
	return list, nil
}

// Codes of the fields of an answer.
const (
	codeMAC       = 0x02 // 6 raw bytes
	codeName      = 0x04
	codeIPv4      = 0x05 // 4 raw bytes
	codeSerial    = 0x83
	codeTCPPort   = 0x85
	codeEnclosure = 0x86
	codeProduct   = 0x89
)

// ParseAnswer reads one answer to DiscoveryRequest that came from the host from:
// a legacy name, the MAC as text, then fields of a code and a value, all ended
// by CR LF. ok is false if nothing in it names a module.
func ParseAnswer(b []byte, from string) (f Found, ok bool) {
	_, b, _ = bytes.Cut(b, []byte("\r\n"))
	mac, b, _ := bytes.Cut(b, []byte("\r\n"))
	fields := splitFields(b)
	host, port := from, Port
	if raw := fields[codeIPv4]; len(raw) == net.IPv4len {
		host = net.IP(raw).String()
	}
	if p := fields[codeTCPPort]; len(p) > 0 {
		port = string(p)
	}
	f = Found{
		Address: net.JoinHostPort(host, port),
		Serial:  text(fields[codeEnclosure]), Product: text(fields[codeProduct]),
		Name: text(fields[codeName]), MAC: text(mac),
	}
	if f.Serial == "" {
		f.Serial = text(fields[codeSerial])
	}
	if f.Serial != "" && !strings.HasPrefix(f.Serial, "QTL") {
		f.Serial = "QTL" + f.Serial
	}
	return f, f.Serial != ""
}

// splitFields cuts an answer by code. Raw values have a known length, and their
// bytes may be CR and LF.
func splitFields(b []byte) map[byte][]byte {
	fields := map[byte][]byte{}
	for len(b) > 0 {
		code := b[0]
		raw := map[byte]int{codeMAC: 6, codeIPv4: 4}[code]
		if len(b) < 1+raw {
			break
		}
		end := bytes.Index(b[1+raw:], []byte("\r\n"))
		if end < 0 {
			end = len(b) - 1 - raw
		}
		end += 1 + raw
		fields[code] = bytes.Clone(b[1:end])
		b = b[min(end+2, len(b)):]
	}
	return fields
}

// text returns a value without what does not print.
func text(b []byte) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, string(b)))
}
