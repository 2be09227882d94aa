package serve

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"

	"powerd/engine/twin/model"
)

// Options say what to serve and where.
type Options struct {
	Dir       string // made if it is missing, and removed again then; "<Dir>.lock" is beside it meanwhile
	FileName  string // empty = "drive"
	SizeBytes int64  // a multiple of 4096
	Drive     *model.Drive
	Now       func() int64 // host CLOCK_MONOTONIC in ns
}

// Mounted is a drive that is being served.
type Mounted struct {
	dir, path string
	server    *fuse.Server
	file      *file
	lock      *os.File
	made      bool          // dir was not there
	done      chan struct{} // everything is gone

	once    sync.Once
	err     error // of unmounting
	cleared sync.Once
}

// Mount mounts a drive and serves it until Unmount, or until somebody else
// unmounts it. A stale mount in the same place is taken away first. ctx bounds the
// mounting only: a drive that vanished under a running engine when a run is
// cancelled would spoil the engine's report.
func Mount(ctx context.Context, o Options) (*Mounted, error) {
	if o.FileName == "" {
		o.FileName = "drive"
	}
	if err := o.check(ctx); err != nil {
		return nil, err
	}
	dir, err := mountPath(o.Dir)
	if err != nil {
		return nil, err
	}
	m := &Mounted{dir: dir, path: filepath.Join(dir, o.FileName), done: make(chan struct{})}
	if m.lock, err = claim(dir); err != nil {
		return nil, err
	}
	if err := m.start(o); err != nil {
		m.clear()
		return nil, errors.Join(err, m.lock.Close())
	}
	return m, nil
}

func (o *Options) check(ctx context.Context) error {
	switch {
	case ctx.Err() != nil:
		return fmt.Errorf("serve a drive: %w", context.Cause(ctx))
	case o.SizeBytes <= 0 || o.SizeBytes%4096 != 0:
		return fmt.Errorf("serve a drive of %d bytes: the size must be a positive multiple of 4096", o.SizeBytes)
	case o.FileName != filepath.Base(o.FileName) || strings.Trim(o.FileName, ".") == "" || o.FileName == statName:
		return fmt.Errorf("serve a drive as %q: that is no file name, or that of its statistics", o.FileName)
	}
	return Available()
}

// start does what needs undoing if a later part fails; the caller holds the lock.
func (m *Mounted) start(o Options) error {
	if err := detach(m.dir); err != nil {
		return err
	}
	switch err := os.Mkdir(m.dir, 0o755); {
	case err == nil:
		m.made = true
	case !errors.Is(err, os.ErrExist):
		return fmt.Errorf("make the drive's folder: %w", err)
	}
	data, err := newMemory(o.SizeBytes)
	if err != nil {
		return err
	}
	p, err := newPacer(o.Drive, o.Now)
	if err != nil {
		return errors.Join(err, data.free())
	}
	m.file = &file{data: data, pacer: p}
	m.server, err = attach(m.dir, source(o.Drive.Scale()), &folder{name: o.FileName, drive: m.file})
	if err != nil {
		p.stop()
		return errors.Join(fmt.Errorf("mount a drive at %s: %w; %s", m.dir, err, mountHint), data.free())
	}
	go m.finish()
	return nil
}

// finish waits until the kernel has let the mount go and clears up.
func (m *Mounted) finish() {
	m.server.Wait()
	m.file.pacer.stop()
	_ = m.file.data.free()
	m.clear()
	_ = m.lock.Close()
	close(m.done)
}

// clear leaves the place as it was found: nothing is mounted there any more. What cannot
// be removed is in nobody's way: the next who mounts there takes it over.
func (m *Mounted) clear() {
	m.cleared.Do(func() {
		if m.made {
			_ = os.Remove(m.dir)
		}
		if sameFile(m.lock, m.lock.Name()) { // not somebody else's by now
			_ = os.Remove(m.lock.Name())
		}
	})
}

// attach mounts root at dir: by itself where it may, so that no process is started
// meanwhile that could inherit the descriptor before it is closed to children; else
// by the helper, which is such a process.
func attach(dir, source string, root fs.InodeEmbedder) (*fuse.Server, error) {
	direct := privileged()
	opts := &fs.Options{MountOptions: fuse.MountOptions{
		FsName:            source,
		Name:              fsName,
		DirectMountStrict: direct,
		MaxWrite:          1 << 20,
		MaxBackground:     256,
		ExtraCapabilities: fuse.CAP_ASYNC_DIO,
		DisableXAttrs:     true,
		DisableSplice:     true, // the data is memory: each read would fill a pipe for nothing
		Logger:            log.New(io.Discard, "", 0), // an error reaches the engine as its errno
	}}
	if direct {
		syscall.ForkLock.RLock()
		defer syscall.ForkLock.RUnlock()
	}
	server, err := fs.Mount(dir, root, opts)
	if err != nil {
		return nil, err
	}
	if err := closeToChildren(); err != nil {
		return nil, errors.Join(err, unmount(dir, true))
	}
	return server, nil
}

// closeToChildren sets FD_CLOEXEC on every descriptor of /dev/fuse.
func closeToChildren() error {
	const fds = "/proc/self/fd"
	list, err := os.ReadDir(fds)
	if err != nil {
		return fmt.Errorf("list this process's descriptors: %w", err)
	}
	for _, e := range list {
		name, err := os.Readlink(filepath.Join(fds, e.Name()))
		if err != nil || name != "/dev/fuse" {
			continue // a descriptor that is gone by now is none of ours
		}
		var fd int
		if _, err := fmt.Sscan(e.Name(), &fd); err == nil {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// Path returns the path of the drive's file.
func (m *Mounted) Path() string { return m.path }

// Unmount takes the mount away. If a process still has the drive open, its IO
// fails from now on and the mount goes when it has closed it; Wait waits for
// that. Calling Unmount again returns the same.
func (m *Mounted) Unmount() error {
	m.once.Do(func() {
		m.err = m.unmount()
	})
	return m.err
}

func (m *Mounted) unmount() error {
	select {
	case <-m.done: // somebody else has unmounted it
		return nil
	default:
	}
	err := unmount(m.dir, false)
	if errors.Is(err, unix.EBUSY) {
		m.file.pacer.refuse()
		err = unmount(m.dir, true)
	}
	if err != nil && !errors.Is(err, unix.EINVAL) { // EINVAL: not mounted any more
		return fmt.Errorf("unmount the drive at %s: %w; close what uses it, then run umount -l", m.dir, err)
	}
	m.clear()
	return nil
}

// Wait waits until the mount is gone and everything of it has ended.
func (m *Mounted) Wait() { <-m.done }
