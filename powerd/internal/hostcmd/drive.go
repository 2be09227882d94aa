package hostcmd

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Drives are the commands of this machine's kernel to its drives. Sys stands for /sys;
// empty = /sys itself.
type Drives struct{ Sys string }

func (d Drives) sys(elem ...string) string {
	if d.Sys == "" {
		d.Sys = "/sys"
	}
	return filepath.Join(append([]string{d.Sys}, elem...)...)
}

// Flush writes to a drive what the kernel still holds for it, and lets it write its own
// cache out.
func (d Drives) Flush(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("flush the drive: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("flush the drive %s: %w", path, err)
	}
	st, err := f.Stat()
	if err != nil || st.Mode()&os.ModeDevice == 0 {
		return err
	}
	const blkFlsBuf = 0x1261 // _IO(0x12, 97): drop what is buffered, after writing it
	if err := unix.IoctlSetInt(int(f.Fd()), blkFlsBuf, 0); err != nil && !errors.Is(err, unix.EACCES) && !errors.Is(err, unix.EPERM) {
		return fmt.Errorf("flush the drive %s: %w", path, err)
	}
	return nil
}

// Detach lets the kernel forget a disk, given by its kernel name (sda, nvme0n1): SCSI
// and ATA disks by their own "delete", NVMe by the "remove" of their PCI function.
func (d Drives) Detach(disk string) error {
	for _, file := range []string{
		d.sys("class", "block", disk, "device", "delete"),
		d.sys("class", "block", disk, "device", "device", "remove"),
	} {
		err := order(file, "1")
		if errors.Is(err, os.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("detach %s: %w", disk, err)
		}
		return nil
	}
	return fmt.Errorf("detach %s: the kernel offers no way to take this kind of disk away; set detach: false in the bench", disk)
}

// Rescan lets the kernel look for disks on every SCSI and ATA host and on PCI.
func (d Drives) Rescan() error {
	hosts, err := filepath.Glob(d.sys("class", "scsi_host", "host*", "scan"))
	if err != nil {
		return err
	}
	var errs []error
	for _, h := range hosts {
		errs = append(errs, order(h, "- - -"))
	}
	if err := order(d.sys("bus", "pci", "rescan"), "1"); err != nil && !errors.Is(err, os.ErrNotExist) {
		errs = append(errs, err)
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("look for drives: %w", err)
	}
	return nil
}

// order writes to a file of the kernel's that is there already.
func order(file, text string) error {
	f, err := os.OpenFile(file, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}
